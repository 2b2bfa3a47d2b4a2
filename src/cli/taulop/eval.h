/* superstep taulop eval, for the command line of `superstep taulop`: prices an expression that is given as text. */
#ifndef SUP_CLI_TAULOP_EVAL_H
#define SUP_CLI_TAULOP_EVAL_H

/* argv[0] is "eval"; behind it the expression and its options. Exit code. */
int sup_cli_taulop_eval(int argc, char **argv);

#endif
