// Every header at once, as the module has them: two things of one name would be an error here, where two object
// files would be linked without a word.
#include "arrow_column.hpp"
#include "arrow_interface.hpp"
#include "arrow_type.hpp"
#include "buffer.hpp"
#include "cells.hpp"
#include "chance.hpp"
#include "close.hpp"
#include "codes.hpp"
#include "count_pairs.hpp"
#include "factorize.hpp"
#include "fixed_width.hpp"
#include "label_table.hpp"
#include "multiversion.hpp"
#include "parallel.hpp"
#include "partition.hpp"
#include "radix_sort.hpp"
#include "seed.hpp"
#include "sparse.hpp"
#include "weighted.hpp"
#include "weights.hpp"

int main() { return 0; }
