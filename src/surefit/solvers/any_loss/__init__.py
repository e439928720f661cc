"""Any loss with any penalty: chosen by what both declare, judged by one gap."""
