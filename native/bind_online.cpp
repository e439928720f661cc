// Bindings of the online learners: a core that works on arrays it does not own, a block or a named row at a time.
#include "bindings.hpp"
#include "online.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

using namespace surefit;

namespace {

using Contiguous = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Progress = std::pair<std::size_t, int>;    // rows dealt with, and what was wrong with the next one

OnlineSettings settings_of(const std::vector<double>& s) {
    require(s.size() == 9, "settings are nine numbers");
    return {static_cast<OnlineLoss>(static_cast<int>(s[0])), s[1], static_cast<OnlineRule>(static_cast<int>(s[2])),
            static_cast<OnlineSchedule>(static_cast<int>(s[3])), s[4], s[5] != 0.0, s[6] != 0.0, s[7],
            static_cast<std::size_t>(s[8])};
}

// The entries of a row that came as a dictionary. Rows of a stream mostly have the same names in the same order, the
// very same objects: the columns of the last row are tried first, by identity.
class NamedRow {
  public:
    // False if a name is not known or a value is no number: `culprit` says which, `reason` why.
    bool read(nb::handle names, nb::handle row, bool unknown_is_zero) {
        PyObject *key, *value;
        Py_ssize_t place = 0;
        std::size_t k = 0, seen = 0;
        bool sorted = true;
        columns.clear();
        values.clear();
        while (PyDict_Next(row.ptr(), &place, &key, &value)) {
            const std::int64_t j = column_of(names, key, seen++);
            if (j < 0 && !unknown_is_zero) return blame(kUnknownFeature, key);
            double x;
            if (!number_of(value, x)) return blame(kNotANumber, key);
            if (j < 0) continue;
            sorted &= k == 0 || columns[k - 1] < j;
            columns.push_back(j);
            values.push_back(x);
            ++k;
        }
        if (!sorted) sort();
        return true;
    }

    SparseRow<std::int64_t> view() const { return {columns.data(), values.data(), columns.size()}; }
    std::size_t size() const { return columns.size(); }

    OnlineReason reason = kFine;
    nb::object culprit = nb::none();

  private:
    bool blame(OnlineReason why, PyObject* key) {
        reason = why;
        culprit = nb::borrow(key);
        return false;
    }
    // The column of a name, which is remembered for the next row; -1 if there is none.
    std::int64_t column_of(nb::handle names, PyObject* key, std::size_t seen) {
        if (seen < last_.size() && last_[seen].first.ptr() == key) return last_[seen].second;
        PyObject* found = PyDict_GetItemWithError(names.ptr(), key);
        if (found == nullptr) {
            if (PyErr_Occurred()) throw nb::python_error();
            last_.resize(std::min(last_.size(), seen));
            return -1;
        }
        const std::int64_t j = PyLong_AsLongLong(found);
        if (seen == last_.size()) last_.emplace_back(nb::borrow(key), j);
        else if (seen < last_.size()) last_[seen] = {nb::borrow(key), j};
        return j;
    }
    static bool number_of(PyObject* value, double& x) {
        if (PyFloat_Check(value)) {
            x = PyFloat_AsDouble(value);
            return true;
        }
        if (value == Py_None) {
            x = std::numeric_limits<double>::quiet_NaN();
            return true;
        }
        x = PyFloat_AsDouble(value);
        if (x != -1.0 || !PyErr_Occurred()) return true;
        PyErr_Clear();
        return false;
    }
    void sort() {    // rows that come in another order are few, or nearly sorted
        for (std::size_t k = 1; k < columns.size(); ++k)
            for (std::size_t i = k; i > 0 && columns[i - 1] > columns[i]; --i) {
                std::swap(columns[i - 1], columns[i]);
                std::swap(values[i - 1], values[i]);
            }
    }
    std::vector<std::int64_t> columns;
    std::vector<double> values;
    std::vector<std::pair<nb::object, std::int64_t>> last_;
};

// The row that a core keeps, to one call: the values of a row may run Python, and another thread may then call.
struct Lent {
    explicit Lent(NamedRow& kept) : kept_(kept) { std::swap(row, kept_); }
    ~Lent() { std::swap(row, kept_); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

    NamedRow row;

  private:
    NamedRow& kept_;
};

class OnlineCore {
  public:
    OnlineCore(const std::vector<double>& settings, MutableVector coef, MutableVector lag, MutableVector scale,
               MutableVector squares, MutableVector numbers, nb::dict names, bool missing_is_zero)
        : settings_(settings_of(settings)), held_{coef, lag, scale, squares, numbers}, names_(std::move(names)),
          missing_is_zero_(missing_is_zero) {
        require(numbers.shape(0) == kNumbers, "numbers has the wrong size");
        require(coef.shape(0) % kSums == 0, "coefficients come in eights");
        for (const MutableVector* one : {&lag, &scale, &squares})
            require(one->shape(0) == 0 || one->shape(0) == coef.shape(0), "one entry per coefficient, or none");
        require(settings_.schedule != kAdaptive || (scale.shape(0) > 0 && squares.shape(0) > 0) || coef.shape(0) == 0,
                "adaptive steps need scale and squares");
        const auto data = [](const MutableVector& one) { return one.shape(0) == 0 ? nullptr : one.data(); };
        state_ = {coef.data(), data(lag), data(scale), data(squares), nullptr, numbers.data(), coef.shape(0)};
    }

    Progress dense(const Contiguous& X, const Vector& y, const MutableVector& predictions, const MutableVector& losses) {
        const std::size_t n = X.shape(0), d = X.shape(1);
        require(d <= state_.width && y.shape(0) == n, "X needs a column per coef, y a target per row");
        return passed(DenseBlock{X.data(), n, d}, d, y, predictions, losses);
    }

    template <typename Index>
    Progress sparse(const Indices<Index>& starts, const Indices<Index>& columns, const Vector& values, const Vector& y,
                    const MutableVector& predictions, const MutableVector& losses) {
        check_columns<Index>(starts, columns, values, state_.width);
        require(starts.shape(0) == y.shape(0) + 1, "y needs a target per row");
        const SparseBlock<Index> block{starts.data(), columns.data(), values.data(), y.shape(0)};
        Index longest = 0;
        for (std::size_t i = 0; i < block.rows; ++i) longest = std::max(longest, block.starts[i + 1] - block.starts[i]);
        return passed(block, static_cast<std::size_t>(longest), y, predictions, losses);
    }

    int learn(nb::dict row, double target, double said) {
        Lent lent(row_);
        if (!read(lent.row, row, false)) return lent.row.reason;
        const Adaptive room(*this, lent.row.size());
        const OnlineReason reason = online_learn(lent.row.view(), target, said, settings_, room.state);
        if (reason == kFine && lent.row.size() < nb::len(names_)) state_.numbers[kFilled] += 1.0;
        return reason;
    }

    double score(nb::dict row) {
        Lent lent(row_);
        if (!read(lent.row, row, true)) return std::numeric_limits<double>::quiet_NaN();
        return online_score(lent.row.view(), state_);
    }

    int learn_row(const Vector& row, double target, double said) {
        const DenseRow entries = whole(row);
        const Adaptive room(*this, entries.size);
        return online_learn(entries, target, said, settings_, room.state);
    }

    double score_row(const Vector& row) const { return online_score(whole(row), state_); }

    nb::object culprit() const { return row_.culprit; }
    int reason() const { return row_.reason; }

  private:
    // The state with room for the adaptive steps of one call, whose rows have so many entries; another thread may call
    // meanwhile.
    struct Adaptive {
        Adaptive(OnlineCore& core, std::size_t entries) : state(core.state_), core_(core) {
            if (core.settings_.schedule != kAdaptive) return;
            std::swap(rates_, core.rates_);
            if (rates_.size() < entries + kSums) rates_.resize(entries + kSums);
            state.rates = rates_.data();
        }
        ~Adaptive() {
            if (rates_.size() > core_.rates_.size()) std::swap(rates_, core_.rates_);
        }
        Adaptive(const Adaptive&) = delete;
        Adaptive& operator=(const Adaptive&) = delete;

        OnlineState state;

      private:
        OnlineCore& core_;
        std::vector<double> rates_;
    };

    DenseRow whole(const Vector& row) const {
        require(row.shape(0) <= state_.width, "a row needs an entry per coef");
        return DenseRow(row.data(), row.shape(0), row.shape(0));
    }

    bool read(NamedRow& into, const nb::dict& row, bool unknown_is_zero) const {
        into.reason = kFine;
        if (!into.read(names_, row, unknown_is_zero)) return false;
        if (!missing_is_zero_ && into.size() < nb::len(names_)) {
            into.reason = kMissingFeature;
            return false;
        }
        return true;
    }

    template <typename Block>
    Progress passed(const Block& block, std::size_t longest, const Vector& y, const MutableVector& predictions,
                    const MutableVector& losses) {
        const bool told = predictions.shape(0) > 0;
        require(!told || (predictions.shape(0) == block.rows && losses.shape(0) == block.rows),
                "room for every prediction and loss");
        const Adaptive room(*this, longest);
        const Unlocked unlocked;
        const OnlineProgress done = online_pass(block, y.data(), settings_, room.state,
                                                told ? predictions.data() : nullptr, told ? losses.data() : nullptr);
        return {done.rows, done.reason};
    }

    OnlineSettings settings_;
    OnlineState state_;
    std::vector<double> rates_;
    std::vector<MutableVector> held_;    // the arrays stay alive as long as they are written to
    nb::dict names_;
    bool missing_is_zero_;
    NamedRow row_;
};

}  // namespace

void surefit::bind_online(nb::module_& m) {
    const auto out = [] { return nb::arg().noconvert(); };
    nb::class_<OnlineCore>(m, "OnlineCore")
        .def(nb::init<const std::vector<double>&, MutableVector, MutableVector, MutableVector, MutableVector,
                      MutableVector, nb::dict, bool>(),
             nb::arg(), out(), out(), out(), out(), out(), nb::arg(), nb::arg())
        .def("dense", &OnlineCore::dense, nb::arg(), nb::arg(), out(), out())
        .def("sparse", &OnlineCore::sparse<std::int32_t>, nb::arg(), nb::arg(), nb::arg(), nb::arg(), out(), out())
        .def("sparse", &OnlineCore::sparse<std::int64_t>, nb::arg(), nb::arg(), nb::arg(), nb::arg(), out(), out())
        .def("learn", &OnlineCore::learn)
        .def("score", &OnlineCore::score)
        .def("learn_row", &OnlineCore::learn_row)
        .def("score_row", &OnlineCore::score_row)
        .def_prop_ro("culprit", &OnlineCore::culprit)
        .def_prop_ro("reason", &OnlineCore::reason);
}
