#pragma once
using cusparseHandle_t = struct cusparseContext*;
enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS };
extern "C" const char* cusparseGetErrorString(cusparseStatus_t);
