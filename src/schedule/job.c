/* What is asked of a collective operation, and its checks. */
#include "schedule/schedule.h"
