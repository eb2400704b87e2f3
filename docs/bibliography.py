"""The works that metrics refer to by key, as the generated reference prints them."""

from __future__ import annotations

__all__ = ["WORKS"]

_TEXT = """
AltmanBland1994: Altman and Bland (1994). Diagnostic tests 2: predictive values. BMJ 309, 102.
Anderberg1973: Anderberg (1973). Cluster Analysis for Applications. Academic Press.
Andres2004: Martín Andrés and Femia Marzo (2004). Delta: a new measure of agreement between two raters. British Journal of Mathematical and Statistical Psychology 57, 1-19.
BaccianellaEsuliSebastiani2009: Baccianella, Esuli and Sebastiani (2009). Evaluation measures for ordinal regression. ISDA 2009, 283-287.
Balayla2020: Balayla (2020). Prevalence threshold and the geometry of screening curves. PLoS ONE 15, e0240215.
Bangdiwala1985: Bangdiwala (1985). A graphical test for observer agreement. Proceedings of the 45th International Statistical Institute Meeting, 307-308.
BaroniUrbani1976: Baroni-Urbani and Buser (1976). Similarity of binary data. Systematic Zoology 25, 251-259.
Batagelj1995: Batagelj and Bren (1995). Comparing resemblance measures. Journal of Classification 12, 73-90.
Batuwita2009: Batuwita and Palade (2009). A new performance measure for class imbalance learning. ICMLA 2009, 545-550.
Baulieu1989: Baulieu (1989). A classification of presence/absence based dissimilarity coefficients. Journal of Classification 6, 233-246.
Baulieu1997: Baulieu (1997). Two variant axiom systems for presence/absence based dissimilarity coefficients. Journal of Classification 14, 159-170.
Benini1901: Benini (1901). Principii di demografia. Barbèra, Florence.
BennettAlpertGoldstein1954: Bennett, Alpert and Goldstein (1954). Communications through limited-response questioning. Public Opinion Quarterly 18, 303-308.
Bergsma2013: Bergsma (2013). A bias-correction for Cramér's V and Tschuprow's T. Journal of the Korean Statistical Society 42, 323-328.
BlakeleyOddone1995: Blakeley, Oddone, Hasselblad, Simel and Matchar (1995). Noninvasive carotid artery testing: a meta-analytic review. Annals of Internal Medicine 122, 360-367.
BraunBlanquet1932: Braun-Blanquet (1932). Plant Sociology. McGraw-Hill.
BrayCurtis1957: Bray and Curtis (1957). An ordination of the upland forest communities of southern Wisconsin. Ecological Monographs 27, 325-349.
BrennanPrediger1981: Brennan and Prediger (1981). Coefficient kappa: some uses, misuses, and alternatives. Educational and Psychological Measurement 41, 687-699.
Brin1997: Brin, Motwani, Ullman and Tsur (1997). Dynamic itemset counting and implication rules for market basket data. SIGMOD 1997, 255-264.
BrodersenOngStephanBuhmann2010: Brodersen, Ong, Stephan and Buhmann (2010). The balanced accuracy and its posterior distribution. ICPR 2010, 3121-3124.
ByrtBishopCarlin1993: Byrt, Bishop and Carlin (1993). Bias, prevalence and kappa. Journal of Clinical Epidemiology 46, 423-429.
ChaconRastrojo2023: Chacón and Rastrojo (2023). Minimum adjusted Rand index for two clusterings of a given size. Advances in Data Analysis and Classification 17, 125-133.
Choi2010: Choi, Cha and Tappert (2010). A survey of binary similarity and distance measures. Journal of Systemics, Cybernetics and Informatics 8, 43-48.
Clement1976: Clement (1976). A formula for computing inter-observer agreement. Psychological Reports 39, 257-258.
Cohen1960: Cohen (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20, 37-46.
Cohen1968: Cohen (1968). Weighted kappa. Psychological Bulletin 70, 213-220.
Consonni2012: Consonni and Todeschini (2012). New similarity coefficients for binary data. MATCH Communications in Mathematical and in Computer Chemistry 68, 581-592.
Cramer1946: Cramér (1946). Mathematical Methods of Statistics. Princeton University Press.
Cronbach1951: Cronbach (1951). Coefficient alpha and the internal structure of tests. Psychometrika 16, 297-334.
Dallmeier2005: Dallmeier, Lindig and Zeller (2005). Lightweight defect localization for Java. ECOOP 2005, 528-550.
DeeksAltman2004: Deeks and Altman (2004). Diagnostic tests 4: likelihood ratios. BMJ 329, 168-169.
Delgado2019: Delgado and Núñez-González (2019). Enhancing confusion entropy (CEN) for binary and multiclass classification. PLoS ONE 14, e0210264.
Dennis1965: Dennis (1965). The construction of a thesaurus automatically from a sample of text. Statistical Association Methods for Mechanized Documentation, National Bureau of Standards, 61-148.
Digby1983: Digby (1983). Approximating the tetrachoric correlation coefficient. Biometrics 39, 753-757.
Doolittle1884: Doolittle (1884). The verification of predictions. American Meteorological Journal 2, 327-329.
Elkan2001: Elkan (2001). The foundations of cost-sensitive learning. IJCAI 2001, 973-978.
Eyraud1938: Eyraud (1938). Les principes de la mesure des corrélations. Annales de l'Université de Lyon, Section A 1, 30-47.
Fager1963: Fager and McGowan (1963). Zooplankton species groups in the North Pacific. Science 140, 453-460.
Faith1983: Faith (1983). Asymmetric binary similarity measures. Oecologia 57, 287-290.
FerriHernandezOralloModroiu2009: Ferri, Hernández-Orallo and Modroiu (2009). An experimental comparison of performance measures for classification. Pattern Recognition Letters 30, 27-38.
FerroStephenson2011: Ferro and Stephenson (2011). Extremal dependence indices: improved verification measures for deterministic forecasts of rare binary events. Weather and Forecasting 26, 699-713.
FlachKull2015: Flach and Kull (2015). Precision-recall-gain curves: PR analysis done right. NIPS 28, 838-846.
FleissCohen1973: Fleiss and Cohen (1973). The equivalence of weighted kappa and the intraclass correlation coefficient as measures of reliability. Educational and Psychological Measurement 33, 613-619.
Forbes1925: Forbes (1925). Method of determining and measuring the associative relations of species. Science 61, 518-524.
Fossum1966: Fossum and Kaskey (1966). Optimization and standardization of information retrieval language and systems. Univac, Blue Bell.
FowlkesMallows1983: Fowlkes and Mallows (1983). A method for comparing two hierarchical clusterings. Journal of the American Statistical Association 78, 553-569.
GandinMurphy1992: Gandin and Murphy (1992). Equitable skill scores for categorical forecasts. Monthly Weather Review 120, 361-370.
Garcia2009: García, Mollineda and Sánchez (2009). Index of balanced accuracy: a performance measure for skewed class distributions. IbPRIA 2009, 441-448.
GaudetteJapkowicz2009: Gaudette and Japkowicz (2009). Evaluation methods for ordinal classification. Canadian AI 2009, 207-210.
Gerrity1992: Gerrity (1992). A note on Gandin and Murphy's equitable skill score. Monthly Weather Review 120, 2709-2712.
Gilbert1884: Gilbert (1884). Finley's tornado predictions. American Meteorological Journal 1, 166-172.
Gilbert1966: Gilbert and Wells (1966). Analysis of quadrat data. Journal of Ecology 54, 675-685.
Glas2003: Glas, Lijmer, Prins, Bonsel and Bossuyt (2003). The diagnostic odds ratio: a single indicator of test performance. Journal of Clinical Epidemiology 56, 1129-1135.
Goodall1967: Goodall (1967). The distribution of the matching coefficient. Biometrics 23, 647-656.
GoodmanKruskal1954: Goodman and Kruskal (1954). Measures of association for cross classifications. Journal of the American Statistical Association 49, 732-764.
GoodmanKruskal1959: Goodman and Kruskal (1959). Measures of association for cross classifications II: further discussion and references. Journal of the American Statistical Association 54, 123-163.
Gorodkin2004: Gorodkin (2004). Comparing two K-category assignments by a K-category correlation coefficient. Computational Biology and Chemistry 28, 367-374.
GreenSwets1966: Green and Swets (1966). Signal Detection Theory and Psychophysics. Wiley.
Guttman1941: Guttman (1941). An outline of the statistical theory of prediction. In Horst (ed.), The Prediction of Personal Adjustment, 253-311.
Gwet2008: Gwet (2008). Computing inter-rater reliability and its variance in the presence of high agreement. British Journal of Mathematical and Statistical Psychology 61, 29-48.
Gwet2014: Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.
Hamann1961: Hamann (1961). Merkmalsbestand und Verwandtschaftsbeziehungen der Farinosae. Willdenowia 2, 639-768.
HanssenKuipers1965: Hanssen and Kuipers (1965). On the relationship between the frequency of rain and various meteorological parameters. KNMI Mededelingen en Verhandelingen 81.
Harris1978: Harris and Lahey (1978). A method for combining occurrence and nonoccurrence interobserver agreement scores. Journal of Applied Behavior Analysis 11, 523-527.
Hawkins1973: Hawkins and Dotson (1973). Reliability scores that delude. ERIC ED094277.
HayesKrippendorff2007: Hayes and Krippendorff (2007). Answering the call for a standard reliability measure for coding data. Communication Methods and Measures 1, 77-89.
Heidke1926: Heidke (1926). Berechnung des Erfolges und der Güte der Windstärkevorhersagen im Sturmwarnungsdienst. Geografiska Annaler 8, 301-349.
HoganOConnorIllingworth2009: Hogan, O'Connor and Illingworth (2009). Verification of cloud-fraction forecasts. Quarterly Journal of the Royal Meteorological Society 135, 1494-1511.
HubertArabie1985: Hubert and Arabie (1985). Comparing partitions. Journal of Classification 2, 193-218.
Jaccard1912: Jaccard (1912). The distribution of the flora in the alpine zone. New Phytologist 11, 37-50.
JolliffeStephenson2012: Jolliffe and Stephenson (2012). Forecast Verification, 2nd edition. Wiley.
KelleherMacNameeDArcy2015: Kelleher, Mac Namee and D'Arcy (2015). Fundamentals of Machine Learning for Predictive Data Analytics. MIT Press.
Kendall1938: Kendall (1938). A new measure of rank correlation. Biometrika 30, 81-93.
Kendall1945: Kendall (1945). The treatment of ties in ranking problems. Biometrika 33, 239-251.
Kent1977: Kent and Foster (1977). Direct observational procedures: methodological issues in naturalistic settings. In Ciminero, Calhoun and Adams (eds.), Handbook of Behavioral Assessment, 279-328.
KononenkoBratko1991: Kononenko and Bratko (1991). Information-based evaluation criterion for classifier's performance. Machine Learning 6, 67-80.
Koppen1870: Köppen (1870). Die Aufeinanderfolge der periodischen Witterungserscheinungen nach den Grundsätzen der Wahrscheinlichkeitsrechnung. Repertorium für Meteorologie 2, 189-238.
KoukoulasBlackburn2001: Koukoulas and Blackburn (2001). Introducing new indices for accuracy evaluation of classified images representing semi-natural woodland environments. Photogrammetric Engineering and Remote Sensing 67, 499-510.
Krippendorff1970: Krippendorff (1970). Estimating the reliability, systematic error and random error of interval data. Educational and Psychological Measurement 30, 61-70.
KubatMatwin1997: Kubat and Matwin (1997). Addressing the curse of imbalanced training sets: one-sided selection. ICML 1997, 179-186.
Kuder1937: Kuder and Richardson (1937). The theory of the estimation of test reliability. Psychometrika 2, 151-160.
Kuhns1965: Kuhns (1965). The continuum of coefficients of association. Statistical Association Methods for Mechanized Documentation, National Bureau of Standards, 33-39.
KullbackLeibler1951: Kullback and Leibler (1951). On information and sufficiency. Annals of Mathematical Statistics 22, 79-86.
LabatutCherifi2011: Labatut and Cherifi (2011). Evaluation of performance measures for classifiers comparison. Ubiquitous Computing and Communication Journal 6, 21-34.
Lance1966: Lance and Williams (1966). Computer programs for hierarchical polythetic classification ("similarity analyses"). Computer Journal 9, 60-64.
LinnGrunau2006: Linn and Grunau (2006). New patient-oriented summary measure of net total gain in certainty for dichotomous diagnostic tests. Epidemiologic Perspectives and Innovations 3, 11.
Maratea2014: Maratea, Petrosino and Manzo (2014). Adjusted F-measure and kernel scaling for imbalanced data learning. Information Sciences 257, 331-341.
Matthews1975: Matthews (1975). Comparison of the predicted and observed secondary structure of T4 phage lysozyme. Biochimica et Biophysica Acta 405, 442-451.
Meila2007: Meilă (2007). Comparing clusterings: an information based distance. Journal of Multivariate Analysis 98, 873-895.
Mosley2013: Mosley (2013). A balanced approach to the multi-class imbalance problem. PhD thesis, Iowa State University.
MunozBangdiwala1997: Munoz and Bangdiwala (1997). Interpretation of kappa and B statistics measures of agreement. Journal of Applied Statistics 24, 105-112.
Ochiai1957: Ochiai (1957). Zoogeographical studies on the soleoid fishes found in Japan and its neighbouring regions II. Bulletin of the Japanese Society of Scientific Fisheries 22, 526-530.
OpitzBurst2019: Opitz and Burst (2019). Macro F1 and macro F1. arXiv:1911.03347.
Pearson1900: Pearson (1900). On the criterion that a given system of deviations from the probable is such that it can be reasonably supposed to have arisen from random sampling. Philosophical Magazine 50, 157-175.
Pearson1904: Pearson (1904). On the theory of contingency and its relation to association and normal correlation. Drapers' Company Research Memoirs, Biometric Series 1.
Peirce1884: Peirce (1884). The numerical measure of the success of predictions. Science 4, 453-454.
PontiusMillones2011: Pontius and Millones (2011). Death to kappa: birth of quantity disagreement and allocation disagreement for accuracy assessment. International Journal of Remote Sensing 32, 4407-4429.
PontiusSantacruz2014: Pontius and Santacruz (2014). Quantity, exchange, and shift components of difference in a square contingency table. International Journal of Remote Sensing 35, 7543-7554.
Powers2011: Powers (2011). Evaluation: from precision, recall and F-measure to ROC, informedness, markedness and correlation. Journal of Machine Learning Technologies 2, 37-63.
Ranawana2006: Ranawana and Palade (2006). Optimized precision: a new measure for classifier performance evaluation. IEEE CEC 2006, 2254-2261.
Rand1971: Rand (1971). Objective criteria for the evaluation of clustering methods. Journal of the American Statistical Association 66, 846-850.
Redondo2020: Redondo, Navarro, Fernández, Martín de Diego, Moguerza and Fernández-Muñoz (2020). Unified performance measure for binary classification problems. IDEAL 2020, 104-112.
RosenbergHirschberg2007: Rosenberg and Hirschberg (2007). V-measure: a conditional entropy-based external cluster evaluation measure. EMNLP-CoNLL 2007, 410-420.
Schaefer1990: Schaefer (1990). The critical success index as an indicator of warning skill. Weather and Forecasting 5, 570-575.
Scott1955: Scott (1955). Reliability of content analysis: the case of nominal scale coding. Public Opinion Quarterly 19, 321-325.
Shannon1948: Shannon (1948). A mathematical theory of communication. Bell System Technical Journal 27, 379-423.
Simpson1943: Simpson (1943). Mammals and the nature of continents. American Journal of Science 241, 1-31.
SindhwaniBhattacharyaRakshit2001: Sindhwani, Bhattacharya and Rakshit (2001). Information theoretic feature crediting in multiclass support vector machines. SDM 2001.
Sitarz2022: Sitarz (2022). Extending F1 metric, probabilistic approach. arXiv:2210.11997.
SokalRohlf1981: Sokal and Rohlf (1981). Biometry, 2nd edition. Freeman.
Sokolova2006: Sokolova, Japkowicz and Szpakowicz (2006). Beyond accuracy, F-score and ROC: a family of discriminant measures for performance evaluation. AI 2006, 1015-1021.
SokolovaLapalme2009: Sokolova and Lapalme (2009). A systematic analysis of performance measures for classification tasks. Information Processing and Management 45, 427-437.
Somers1962: Somers (1962). A new asymmetric measure of association for ordinal variables. American Sociological Review 27, 799-811.
Spearman1904: Spearman (1904). The proof and measurement of association between two things. American Journal of Psychology 15, 72-101.
StephensonCasatiFerroWilson2008: Stephenson, Casati, Ferro and Wilson (2008). The extreme dependency score: a non-vanishing measure for forecasts of rare events. Meteorological Applications 15, 41-50.
StrehlGhosh2002: Strehl and Ghosh (2002). Cluster ensembles: a knowledge reuse framework for combining multiple partitions. Journal of Machine Learning Research 3, 583-617.
Stuart1953: Stuart (1953). The estimation and comparison of strengths of association in contingency tables. Biometrika 40, 105-110.
SunKamelWang2006: Sun, Kamel and Wang (2006). Boosting for learning multiple classes with imbalanced class distribution. ICDM 2006, 592-602.
Theil1970: Theil (1970). On the estimation of relationships involving qualitative variables. American Journal of Sociology 76, 103-154.
Tschuprow1925: Tschuprow (1925). Grundbegriffe und Grundprobleme der Korrelationstheorie. Teubner.
Tversky1977: Tversky (1977). Features of similarity. Psychological Review 84, 327-352.
VickersElkin2006: Vickers and Elkin (2006). Decision curve analysis: a novel method for evaluating prediction models. Medical Decision Making 26, 565-574.
VinhEppsBailey2010: Vinh, Epps and Bailey (2010). Information theoretic measures for clusterings comparison: variants, properties, normalization and correction for chance. Journal of Machine Learning Research 11, 2837-2854.
Warrens2008: Warrens (2008). Similarity Coefficients for Binary Data. PhD thesis, Leiden University.
WeiYuan2010: Wei, Yuan, Hu and Wang (2010). A novel measure for evaluating classifiers. Expert Systems with Applications 37, 3799-3809.
Wilks1938: Wilks (1938). The large-sample distribution of the likelihood ratio for testing composite hypotheses. Annals of Mathematical Statistics 9, 60-62.
Wilks2019: Wilks (2019). Statistical Methods in the Atmospheric Sciences, 4th edition. Elsevier.
Yerushalmy1947: Yerushalmy (1947). Statistical problems in assessing methods of medical diagnosis, with special reference to X-ray techniques. Public Health Reports 62, 1432-1449.
Youden1950: Youden (1950). Index for rating diagnostic tests. Cancer 3, 32-35.
Yule1900: Yule (1900). On the association of attributes in statistics. Philosophical Transactions of the Royal Society A 194, 257-319.
Yule1912: Yule (1912). On the methods of measuring association between two attributes. Journal of the Royal Statistical Society 75, 579-652.
vanRijsbergen1979: van Rijsbergen (1979). Information Retrieval, 2nd edition. Butterworths.
"""  # noqa: E501 - one work, one line

WORKS: dict[str, str] = dict(line.split(": ", 1) for line in _TEXT.strip().splitlines())
# Two keys of one work.
WORKS["YerushalmyJ1947"] = WORKS["Yerushalmy1947"]
WORKS["Koukoulas2001"] = WORKS["KoukoulasBlackburn2001"]
