"""The one table of words that people try, and what to write instead; read only when something is missing.

It serves attributes, names of the package, arguments and their values, commands and their options,
names of metrics, and the search of the documentation. A new guess is a new word of a row, or a row.
"""

from __future__ import annotations

import re
from functools import cache

# The purpose of a line shows at its beginning: an argument is a name with "=" behind (and means
# the option of a command that sets it), an option begins with "--", a command with "confmat ";
# any other line is for Python.
FORMS = {"argument": r"\w+=", "option": "--", "command": "confmat ", "python": ""}

# Sentences of several rows, and those that are too long for one line.
_COUNT = "it is confmat.count(actual, predicted)"
_ACTUAL = "actual= | counts=, which are confmat.count(actual, predicted)"
_PREDICTED = "predicted= | predictions= | counts=, which are confmat.count(actual, predicted)"
_BY = "confmat.count(actual, predicted, by=groups) makes a matrix for each group"
_GAP = (
    "confmat.gap(confmat.count(actual, predicted, by=groups), {criterion!r}) says how far groups "
    "are apart | "
    "confmat gap FILE --by COLUMN says how far groups are apart"
)
_FRAME = "it is confmat.count_frame(frame) of rows, and confmat.ConfusionMatrix.from_frame(frame) of counts"
_RATES = "m.normalize('actual') has the rates of a matrix"
_NAMES = "m.relabel(names) gives the classes other names"
_REPORT = "confmat.report(m) scores a matrix, m = confmat.count(actual, predicted) | confmat report FILE scores a file"
_INTERVAL = "intervals= | confmat.interval(m, 'f1.macro') says how sure a score is | confmat report FILE --intervals"
_COMPARE = (
    "confmat.compare_predictions(actual, {'old': old, 'new': new}) says which differences hold | "
    "confmat compare FILE says which differences between models hold"
)
_NO_WORSE = "confmat.compare(...).of('accuracy').no_worse(0.01) says whether a margin holds, equivalent() on both sides"
_TOP = "confmat show FILE --top 10 lists the most frequent confusions"
_SWEEP = "(confmat.thresholds(actual, scores))"
_AREA = f"confmat.roc_auc{_SWEEP}"
_CURVES = "confmat thresholds FILE --scores COLUMN finds the threshold at which a score is best"
_PICTURE = "confmat.plot(m).figure.savefig(path) writes a picture"
_AXES = "change the Axes that come back, or draw with confmat.sklearn.ConfusionMatrixDisplay"
_PAGE = "confmat html draws the matrix on a page, and confmat show in the terminal"
_PROBABILITIES = (
    "it is computed from probabilities: confmat.calibration(actual, scores) has it | "
    "confmat calibration FILE --scores COLUMN prints it"
)
_NEEDS_SCORES = (
    "it is computed from scores or probabilities, which a confusion matrix does not have"
)
_OF_STEPS = f"{_NEEDS_SCORES}: average_precision(thresholds(actual, scores)) takes them"
_OF_RANKS = f"{_NEEDS_SCORES}: it is of the order of all labels of an item"
_OF_ONE_POINT = (
    f"{_NEEDS_SCORES}: roc_auc(thresholds(actual, scores)) takes them; "
    "'one_point_auc' is the area under the curve of the one point of a matrix"
)
_OF_CONFIDENCE = (
    "it takes a confidence for each answer: risk_coverage(actual, predicted, confidence) has it"
)
_OF_ANSWERS = "what answers that are no class make of scores, and the coverage, is in unanswered(m)"
_OF_ITEMS = (
    "with several labels an item, `report` and `interval` have it: report(stack, items=items)"
)
_MEAN_MISSES = "it is the score 'false_negative_rate.macro', what balanced_accuracy lacks of 1"

# Words with blanks between them, an arrow, and what to write in their place; " | " parts lines for
# different places. Words are found in any case, with and without "_" and "-". "Report Table: words"
# are those of some owners alone: of a class, a room or a function, of an argument that has them as
# values, or that a function must take for the line to help. The owner "metric" has names of
# metrics, "confmat" names of the package, and "suffix" those of files. WORD in a line is the word
# itself.
ROWS = (
    # ---- counting --------------------------------------------------------------------------------
    f"conf_mat cm confusion crosstab pivot pivot_table contingency_table -> {_COUNT}",
    f"confusion_matrix value_counts from_predictions from_labels from_estimator -> {_COUNT}",
    f"multiclass_confusion_matrix binary_confusion_matrix -> {_COUNT}",
    "matrix confusion -> confmat count makes a matrix of rows, and confmat show prints a stored one",
    "matrix -> its table is `counts`",
    (
        "y_true true truth target targets gold ground_truth actuals actual_vector expected references "
        f"-> {_ACTUAL}"
    ),
    f"y_pred y_preds pred preds prediction predictions predict_vector y_hat guess -> {_PREDICTED}",
    "y_score y_scores y_prob y_proba proba probas probabilities logits -> scores=",
    (
        "count: str posixpath windowspath -> confmat.count_files(path, actual='truth', "
        "predicted='guess') counts a file"
    ),
    (
        "count: dataframe -> confmat.count_frame(frame, actual='truth', predicted='guess') counts a "
        "frame"
    ),
    (
        "read read_csv load_csv count_csv read_json read_parquet from_file -> confmat.count_files(path) counts rows, "
        "confmat.load reads"
    ),
    "read_excel read_sql read_table -> confmat.count_frame(frame) counts the rows of a frame",
    "parse paste from_text from_string -> confmat.read_printed(text) reads a printed matrix",
    f"from_dataframe from_pandas from_polars from_frame read_frame -> {_FRAME}",
    (
        "from_counts from_array from_numpy from_matrix from_list -> it is "
        "confmat.ConfusionMatrix(counts)"
    ),
    "from_dict -> it is confmat.ConfusionMatrix.from_dict(data)",
    "from_margins -> confmat.Stack.from_array(counts) takes all cells",
    (
        "from_graph -> it is confmat.Hierarchy.from_parents(pairs), with child and parent for each "
        "edge of a tree"
    ),
    "update streaming accumulator counter partial_fit -> confmat.Tally() takes pairs in parts",
    "f_gain -> it is confmat.metrics.precision_gain, and recall_gain",
    "v_measure_beta -> it is confmat.metrics.v_measure, with beta 1",
    (
        "adjusted_mutual_information_by -> it is confmat.metrics.adjusted_mutual_information, by the "
        "arithmetic mean"
    ),
    "information_in -> it is confmat.metrics.mutual_information_nats; entropies are in bits",
    (
        "thresholdtally -> it is confmat.thresholds(..., thresholds=grid): sweeps of chunks over one "
        "grid add up"
    ),
    "Tally: reset clear -> a new confmat.Tally() begins with nothing",
    "Tally: add append extend partial_fit -> update(actual, predicted) takes more pairs",
    "sample_weight sample_weights weight case_weights -> weights=",
    (
        "undefined: sample_weight -> items are weighed where they are counted, count(actual, "
        "predicted, weights=...)"
    ),
    "counts freq frequency -> tally=",
    "demographic_parity_difference demographic_parity_ratio statistical_parity selection_rate -> "
    + _GAP.format(criterion="demographic_parity"),
    "disparate_impact four_fifths -> " + _GAP.format(criterion="four_fifths"),
    "fairness equalized_odds_difference equalized_odds_ratio equalised_odds -> "
    + _GAP.format(criterion="equalized_odds"),
    "equal_opportunity_difference -> " + _GAP.format(criterion="equal_opportunity"),
    "metric_frame sensitive_features protected_groups between_groups group_min group_max -> "
    + _GAP.format(criterion="equalized_odds"),
    f"groupby group_by group by_group slice slices stratify subgroup -> by= | class_groups= | {_BY}",
    "groups -> class_groups= | by= | it is confmat.class_groups",
    (
        "adjust: clusters groups -> compare({'old': count(actual, old, clusters=...), 'new': ...}) "
        "compares by clusters"
    ),
    (
        "max_pairs: cluster clusters -> count_frame and count_files with by='patient' make a matrix for each, and "
        "`interval` and `compare` take these for clusters"
    ),
    (
        "cluster clusters -> --by COLUMN with `confmat count`, which makes a stack; `confmat compare` "
        "pairs its matrices as clusters"
    ),
    "equal: strategy quantile count frequency -> equal='mass', bins of as many items each",
    "normalise -> answers= | normalize= | it is spelt `normalize`",
    (
        f"normalize normalized percent percentages rates -> normalize= | {_RATES} | confmat show FILE "
        "--normalize actual"
    ),
    "names classes target_names class_names vocab levels num_classes -> labels=",
    f"cmap averages: display_labels names classes target_names class_names -> {_NAMES}",
    (
        "to_latex to_markdown to_html to_csv to_excel: rows -> m.table(rows='predicted') has predicted "
        "classes in rows"
    ),
    (
        "to_pandas to_polars html report save: rows -> m.table(rows='predicted') has predicted classes "
        "in rows"
    ),
    (
        "label pos_label positive_class pos positive -> of= | positive= | labels=Labels([...], "
        "positive=...)"
    ),
    (
        "risk_coverage panoptic: label pos_label positive_class pos positive -> no class is positive "
        "in its result"
    ),
    "labels class_ -> of=",
    "n_jobs jobs num_workers -> threads=",
    "dropna drop_na skipna na na_rm nan_policy -> missing='drop'",
    "missing other: ignore skip omit -> missing='drop' | other='drop'",
    "ignore_index ignore exclude -> other='drop', with labels= those that count",
    "ignore_case case_sensitive -> --any-spelling | answers=, such as confmat.Answers(labels)",
    "count: average task -> count takes any classes, and f1(m, average='macro') averages",
    "count: threshold -> confmat.from_scores(actual, scores, threshold=0.5) counts scores",
    (
        "sep -> delimiter= | --delimiter between columns; several labels in a field are for "
        "confmat.count_multilabel"
    ),
    "separator -> --delimiter between the columns of rows; white space parts the columns of tags",
    "boundary -> --ignore, with maps whose pixels away from borders have that number",
    (
        "ignore: boundary -> set pixels of the truth that shall not count to a number that ignore= "
        "names"
    ),
    (
        "where filter query -> --by COLUMN, which makes one matrix for each group, or a file of the "
        "rows that are meant"
    ),
    (
        "detections boxes coco coco_eval yolo -> it is confmat.count_boxes(truth, predicted) | confmat "
        "detect"
    ),
    (
        "ner seqeval entities -> it is confmat.count_spans(truth, predicted) | confmat spans matches "
        "named entities"
    ),
    "masks -> it is confmat.count_masks(actual, predicted) | confmat segment counts label maps",
    "multilabel_confusion_matrix -> it is confmat.count_multilabel(actual, predicted)",
    "mlcm -> it is confmat.count_multilabel(actual, predicted, matrix=True)",
    (
        "subset_accuracy -> it is confmat.exact_match(confmat.count_multilabel(actual, predicted, "
        "along='item'))"
    ),
    "span_scores -> it is confmat.count_spans, strict or with match='overlap'",
    (
        "grades -> --match exact for boundaries and class, --match overlap for the class of entities "
        "that overlap"
    ),
    (
        "judge llm_judge pass_rate -> confmat.judged(verdicts, predicted, gold=human) | confmat report "
        "FILE --judge COLUMN"
    ),
    (
        "cross_val cross_validate -> confmat.count(actual, predicted, by=folds) makes a matrix for "
        "each fold"
    ),
    # ---- scores ----------------------------------------------------------------------------------
    (
        "report describe stats scores evaluate analyze overall_stat class_stat per_class by_class -> "
        f"{_REPORT}"
    ),
    (
        "summary headline sentences tldr alt_text -> confmat.summary(m) says it in sentences | confmat "
        "report has them"
    ),
    "classification_report -> it is confmat.report(confmat.count(actual, predicted))",
    "Scored: score -> confmat.score(m, 'f1.macro') is one of its scores",
    (
        "score -> confmat report scores files, and confmat report --fail-under holds scores against "
        "bars"
    ),
    (
        "check eval test validate -> confmat report FILE --fail-under accuracy=0.9, or confmat audit "
        "FILE"
    ),
    "list_metrics available_metrics metrics_list metric_collection -> confmat.catalog() lists them",
    (
        "list info doc -> confmat metrics lists the metrics, and confmat explain recall says what one "
        "means"
    ),
    "metrics -> confmat.report(m) scores it, and confmat.catalog() lists the metrics",
    "metric scores -> metrics= | best= | scores=",
    "averages: output_dict -> report(m).to_dict() is the same as plain data",
    "undefined: exact -> scores are floats, right to 12 digits",
    "undefined: beta -> confmat.f_beta(2)(m) weighs recall twice as much as precision",
    (
        "undefined: at_prevalence prevalence -> interval(m, 'precision', at_prevalence=...) has the "
        "score there"
    ),
    "average macro -> averages=",
    "average: binary -> f1(m, of='cat') is the score of one class",
    (
        "average: samples -> the mean over items with several labels is for `report` and `interval` "
        "with `items=`"
    ),
    "zero_division -> undefined=",
    "prevalence -> at_prevalence=",
    "min minimum fail min_score -> --fail-under f1.macro=0.9",
    "cost_matrix -> confmat.cost_report(m, costs) takes it",
    "make_scorer -> it is confmat.sklearn.scorer('f1.macro')",
    "kappa_weights weighted_kappas -> it is confmat.metrics.weighted_kappa(weights)",
    "sens -> it is confmat.sensitivity",
    "spec -> it is confmat.specificity",
    (
        "likelihood_ratio -> it is confmat.positive_likelihood_ratio, or "
        "confmat.negative_likelihood_ratio"
    ),
    "top_k topk top_k_accuracy_score -> it is confmat.top_k_accuracy(actual, scores, k=5)",
    "accuracy f1 f1_score kappa mcc precision recall sensitivity -> confmat report FILE --metrics WORD",
    "Report Comparison Estimate: show display print -> print(value) prints it",
    "save: confusion_matrix report comparison -> such as confmat.save(value, 'file.json')",
    "interval: confusion_matrix -> such as confmat.interval(m, 'f1.macro')",
    "score: confusion_matrix -> such as confmat.score(m, 'f1.macro')",
    # ---- certainty and comparison ----------------------------------------------------------------
    f"ci conf_int confint confidence_interval interval bootstrap binom_ci binom_test -> {_INTERVAL}",
    f"wilson clopper_pearson -> {_INTERVAL}",
    "confidence confidence_level conf_level level alpha ci -> intervals= | level=",
    "level: alpha -> level=0.95, which is 1 - alpha",
    "method: bootstrap percentile bca resampling -> method='bootstrap'",
    "method: normal asymptotic delta -> method='wald'",
    "method: jeffreys bayesian -> method='bayes'",
    "n_resamples n_boot n_bootstraps -> draws=",
    "random_state rng -> seed=",
    (
        "Estimate: ci bounds conf_int confidence_interval interval -> low, high = estimate unpacks its "
        "bounds"
    ),
    (
        "Estimate: lower lo lower_bound ci_low ci_lower upper hi upper_bound ci_high -> its bounds are "
        "`low` and `high`"
    ),
    "Estimate: estimate point point_estimate score mean -> its score is `value`",
    "Estimate: confidence confidence_level -> its confidence is `level`",
    "Estimate: margin margin_of_error half_width error -> half of its width is (high - low) / 2",
    "Estimate: std stderr standard_error -> its standard error is `se`",
    f"fisher fisher_exact chisquare chi2_test -> {_COMPARE}",
    f"mcnemar mcnemar_test significance p_value pvalue permutation_test t_test -> {_COMPARE}",
    f"compare_models compare_proportions compare diff rank leaderboard best_model -> {_COMPARE}",
    "Comparison: p delta diff best -> of('accuracy') is one difference",
    (
        "Comparison: p_values pvalue significant winner difference results statistic -> of('accuracy') "
        "is one difference"
    ),
    "f_measure -> it is confmat.f1; confmat.f_beta(2) weighs recall twice as much as precision",
    "diagnostic -> it is confmat.compare_predictions(...).diagnostic('sick')",
    f"noninferiority non_inferiority no_worse equivalence tost gate assert_no_worse -> {_NO_WORSE}",
    "models baseline -> predictions= | names=",
    "sort -> order=",
    "silent no_warnings -> --quiet",
    "tolerance margin max_drop fail_under -> --no-worse accuracy=0.01",
    "sample_size power -> confmat.items_needed(0.9, width=0.1) plans how many items a study takes",
    (
        "icc fleiss_kappa krippendorff inter_rater -> confmat.rater_agreement(ratings) is of several "
        "raters"
    ),
    (
        "misclassified mistakes errors worst_classes -> confmat.top_confusions(m) lists the most "
        f"frequent | {_TOP}"
    ),
    f"most_confused -> confmat.top_confusions(m) lists the most frequent | {_TOP}",
    f"confusions top -> {_TOP}",
    "grim reconstruct infer_matrix -> it is confmat.infer({'accuracy': '0.8'}, total=100)",
    # ---- scores of items, and curves -------------------------------------------------------------
    f"gini -> it is 2 * {_AREA} - 1 | {_CURVES}",
    (
        f"auc -> {_AREA} is the area under the ROC curve, confmat.metrics.one_point_auc that of one "
        f"matrix | {_CURVES}"
    ),
    f"auroc roc_auc_score -> it is {_AREA} | {_CURVES}",
    (
        f"roc roc_curve plot_roc det_curve roc_curve_display threshold -> it is confmat.roc{_SWEEP} | "
        f"{_CURVES}"
    ),
    f"precision_recall_curve pr -> it is confmat.pr_curve{_SWEEP}",
    f"average_precision_score -> it is confmat.average_precision{_SWEEP}",
    "delong compare_auc roc_test -> it is confmat.compare_scores(actual, {'old': old, 'new': new})",
    f"optimal_threshold find_threshold best_threshold -> it is confmat.best{_SWEEP[:-1]}, 'f1')",
    (
        "log_loss cross_entropy_loss brier brier_score brier_score_loss calibration_curve -> "
        f"{_PROBABILITIES}"
    ),
    f"ece expected_calibration_error calibration_error reliability_diagram -> {_PROBABILITIES}",
    (
        "dca decision_curve_analysis net_benefit_curve -> confmat.decision_curve(actual, scores) has "
        "the net benefit"
    ),
    "map mean_average_precision -> it is confmat.detection.coco_average_precision(truth, predicted)",
    (
        "heterogeneity meta_analysis meta i_squared tau_squared cochran_q -> confmat.gap(stack, "
        "'recall') says how far groups differ, and R's metafor and mada pool studies"
    ),
    "bleu rouge perplexity r2 r2_score -> it is not of labels, which confmat counts",
    # ---- tables, files and pictures --------------------------------------------------------------
    "to_frame to_df to_dataframe df to_pandas -> it is to_pandas(), or to_polars()",
    "to_html -> it is table().to('html')",
    "confmat: to_json -> it is confmat.io.to_json, or confmat.save(value, 'file.json')",
    "to_json -> confmat.save(value, 'file.json') stores it",
    (
        "save write dump export -> confmat.save(value, 'file.csv') writes it, in the format of the "
        "suffix | --output FILE"
    ),
    (
        "Scored: save write dump to_json -> confmat.save(m, 'file.json') stores it, and `to_dict()` is "
        "plain data"
    ),
    "convert export -> confmat show FILE -o OTHER turns a matrix into another format",
    "to_csv to_latex to_markdown to_excel -> it is value.WORD(), or confmat.save(value, path)",
    f"suffix: png pdf svg jpg -> {_PICTURE}",
    "suffix: pkl pickle -> confmat.save(value, 'file.json') is what confmat.load reads",
    "suffix: parquet feather -> value.to_pandas() is a frame, which writes such files",
    "json csv markdown latex -> --format WORD (-f WORD)",
    "output_format -> --format json (-f json)",
    "precision round decimals fmt values_format -> digits=",
    "annot include_values -> values=",
    (
        "plot -> confmat.plot(m) draws a matrix, and confmat.plot_differences(c) a comparison | "
        f"{_PAGE}"
    ),
    (
        "show display print -> confmat.show(m) shows it in a terminal | confmat show FILE prints a "
        "stored matrix"
    ),
    "page -> confmat.html(m) as the last line of a notebook's cell shows the page",
    f"html -> confmat.html(m, 'report.html') writes the report page | {_PAGE}",
    (
        "heatmap heat_map draw view visualize figure plot_confusion_matrix -> it is confmat.plot(m) | "
        f"{_PAGE}"
    ),
    "serve open browse -> confmat html FILE -o page.html writes a page that opens in any browser",
    "ax: figsize -> confmat.plot(m, ax=ax) draws into axes of your own size",
    "cmap: page -> a figure has room for 24 matrices, so make a Stack of some of them",
    f"cmap: xticks_rotation text_kw colorbar xlabel ylabel -> {_AXES}",
    f"cmap: save -> {_PICTURE}",
    (
        "wandb mlflow tensorboard -> confmat.plot(m).figure is a figure to log, and confmat.score(m, "
        "'f1.macro') a number"
    ),
    # ---- a matrix and other results --------------------------------------------------------------
    (
        "ravel flatten -> m.counts.ravel() has its cells in a row, and m.tn, m.fp, m.fn, m.tp those of "
        "two classes"
    ),
    "Scored: values array to_numpy data cm -> its table is `counts`",
    (
        "ConfusionMatrix: iloc loc iat at cell get row -> one cell is m['cat', 'dog'], and m.counts[0] "
        "the first row"
    ),
    "Scored: to_list tolist -> its rows are counts.tolist()",
    "Scored: items -> its cells are pairs().items()",
    (
        "Scored: columns index classes_ classes names num_classes -> its classes are `labels`, and its "
        "table is `counts`"
    ),
    (
        "Scored: size n n_samples sum -> its total is `total`, and the number of its classes "
        "`n_classes`"
    ),
    "Scored: trace -> the number of hits is `diagonal.sum()`",
    "Scored: transpose -> the transposed matrix is `T`",
    "Scored: rename -> relabel() of a matrix gives its classes other names",
    "Scored: copy -> it never changes, so it is its own copy",
    "Scored: update compute reset -> it never changes; confmat.Tally takes pairs in parts",
    "Scored: drop filter subset keep -> m.select(labels) keeps some classes",
    "Scored: sort sort_values reindex -> m.reorder(labels) gives its classes another order",
    "Scored: binarize ovr -> m.one_vs_rest(label) has two classes",
    (
        "add combine concat merge join sum -> matrices add, a + b | confmat merge adds up stored "
        "matrices"
    ),
    "rows -> table() has its rows",
    (
        "Report: scores data values loc iloc -> to_pandas() is a frame of it, and report[label, 'f1'] "
        "one score"
    ),
    "Report: macro_avg weighted_avg accuracy_score -> report['macro'] has the scores of a mean",
    "is_tree -> every hierarchy is a tree",
    "Hierarchy: parents -> ancestors(name)[:1] is the parent of a node",
    "PanopticQuality: interval -> draw images anew: results of parts add up, a + b",
    # ---- names of earlier versions, and of the program -------------------------------------------
    "catalogue -> it is confmat.catalog",
    "recognise -> it is confmat.recognize",
    "order -> it is confmat.structure.class_order",
    "examples_of_files -> it is confmat.examples",
    "examples_of_detections -> confmat.detection.box_errors(...).examples gives it",
    "normalised_cost -> it is confmat.metrics.normalized_cost",
    "inference -> confmat.infer gives it; its type: from confmat.auditing import Inference",
    "alignment_warning -> a ConfmatWarning: from confmat.core.errors import AlignmentWarning",
    (
        "compatibility_warning -> it is confmat.count(actual, predicted, labels=...) that refuses what "
        "they lose"
    ),
    "role -> write: from confmat.display.roles import Role",
    "help -> help(name) has the text of any name | confmat --help, and --help behind any command",
    "version -> it is confmat.__version__ | confmat --version",
    # ---- metrics with several meanings, or none --------------------------------------------------
    (
        "metric: csi -> it means 'jaccard' (critical success index) to some, "
        "'classification_success_index' to others"
    ),
    (
        "metric: far -> it means 'false_discovery_rate' (false alarm ratio) to some, "
        "'false_positive_rate' to others"
    ),
    (
        "metric: gss -> it means 'equitable_threat_score' (Gilbert skill score) to most, "
        "'gerrity_score' to some"
    ),
    f"metric: ber balanced_error_rate hter half_total_error_rate -> {_MEAN_MISSES}",
    "metric: positive_agreement -> it is the 'f1' of the positive class",
    "metric: negative_agreement -> it is the 'f1' of the other class",
    (
        "metric: phi phi_coefficient -> of two classes it is 'mcc', of more 'phi_squared' is the mean "
        "square contingency"
    ),
    (
        "metric: gmean geometric_mean -> 'class_g_mean' is of a class, 'multiclass_g_mean' of the "
        "recalls of all"
    ),
    "metric: mean_iou miou -> the mean over classes is the score 'jaccard.macro'",
    "metric: mean_dice mdice mfscore -> the mean over classes is the score 'f1.macro'",
    "metric: mean_accuracy macc -> the mean over classes of what they got right is 'recall.macro'",
    f"metric: exact_match exact_match_ratio subset_accuracy -> {_OF_ITEMS}",
    f"metric: coverage_error label_ranking_loss ranking_loss lrap one_error -> {_OF_RANKS}",
    f"metric: label_ranking_average_precision label_ranking_average_precision_score -> {_OF_RANKS}",
    "metric: aacc pixel_accuracy -> over all items together it is 'accuracy'",
    "metric: ba -> it is 'balanced_accuracy' of the whole matrix, 'one_point_auc' of one class",
    "metric: fm -> it is 'g_measure' of one class, the index 'fowlkes_mallows' of pairs of items",
    f"metric: roc_auc auroc -> {_OF_ONE_POINT}",
    f"metric: average_precision ap pr_auc auc_pr -> {_OF_STEPS}",
    (
        "metric: hand_till -> it is the score 'roc_auc.ovo' of compare_scores(actual, {'model': "
        "scores})"
    ),
    "metric: pauc partial_auc -> it is roc_auc(thresholds(actual, scores), max_fpr=0.2)",
    f"metric: map eer equal_error_rate mean_average_precision -> {_NEEDS_SCORES}",
    (
        "metric: ks ks_statistic -> it is the best of a sweep: best(thresholds(actual, scores), "
        "'informedness')"
    ),
    f"metric: aurc augrc selective_risk -> {_OF_CONFIDENCE}",
    (
        "metric: top_k_accuracy top_5_accuracy -> it takes scores of classes: "
        "confmat.top_k_accuracy(actual, scores, k=5)"
    ),
    f"metric: coverage refusal_rate abstention_rate invalid_rate -> {_OF_ANSWERS}",
    (
        "metric: lca_height tree_distance hierarchical_f1 hierarchical_precision hierarchical_recall -> it takes a "
        "hierarchy of the classes: WORD(hierarchy) of confmat.hierarchy is the metric"
    ),
    (
        "metric: severity -> it takes a hierarchy of the classes: severity(m, hierarchy), or "
        "lca_height(hierarchy)"
    ),
)


def _folded(word: str) -> str:
    return re.sub(r"[\s_-]", "", word).casefold()


@cache
def _lines() -> dict[str, list[str]]:
    """The lines of each word; in front of it, its owner and a colon."""
    found: dict[str, list[str]] = {}
    for row in ROWS:
        words, _, text = row.partition(" -> ")
        owners, is_owned, own = words.rpartition(": ")
        for owner in owners.split() or [""]:
            for word in own.split():
                found.setdefault(f"{owner}{is_owned}{_folded(word)}", []).extend(text.split(" | "))
    return found


def form_of(line: str) -> str:
    """Return what a line is for: argument, option, command or python.

    >>> [
    ...     form_of(line)
    ...     for line in ("by=", "--by COLUMN", "confmat report FILE", "confmat.report(m)")
    ... ]
    ['argument', 'option', 'command', 'python']
    """
    return next(form for form, start in FORMS.items() if re.match(start, line))


def lines(word: str, form: str, *owners: str) -> list[str]:
    """Return what to write of this form in place of a word: the lines of its owners, then those of everybody.

    >>> lines("CI", "python", "Estimate")[0]
    'low, high = estimate unpacks its bounds'
    >>> lines("Y-true", "argument")[0], lines("nothing like it", "python")
    ('actual=', [])
    """
    places = [*(f"{owner}: {_folded(word)}" for owner in owners), _folded(word)]
    found = [line.replace("WORD", word) for place in places for line in _lines().get(place, ())]
    return [line for line in found if form_of(line) == form]


def line(word: str, *owners: str) -> str:
    """Return the first line of Python in place of a word; empty where there is none."""
    return next(iter(lines(word, "python", *owners)), "")
