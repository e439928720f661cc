"""Logistic and multinomial regression, with squares or absolute values or without a penalty."""
