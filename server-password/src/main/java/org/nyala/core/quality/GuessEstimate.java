package org.nyala.core.quality;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import me.gosimple.nbvcxz.Nbvcxz;
import me.gosimple.nbvcxz.resources.ConfigurationBuilder;
import org.jspecify.annotations.Nullable;

/**
 * An estimate of the guesses that a password takes, by words of dictionaries, keyboard patterns,
 * sequences, repetitions and dates. The same password has the same estimate on any machine and
 * under any load.
 *
 * <p>Thread-safe. Loads the dictionaries at the first estimate.
 */
final class GuessEstimate {
  private static final System.Logger LOG = System.getLogger(GuessEstimate.class.getName());

  /** The characters that are looked at: the work grows faster than their number. */
  private static final int MOST_CHARACTERS = 64;

  /**
   * Signs that stand for several letters. Each one doubles the words that a part of the password
   * may stand for, so that a password with many of them is read in one way only.
   */
  private static final String AMBIGUOUS = "!1|7";

  private static final int MOST_AMBIGUOUS = 4;
  private static final Pattern YEARS = Pattern.compile("(19|20)\\d\\d");

  private record Estimators(Nbvcxz thorough, Nbvcxz bounded) {}

  private volatile @Nullable Estimators loaded;

  /** Returns the binary logarithm of the guesses for the beginning of a password. */
  double bits(String password) {
    String beginning = PasswordText.beginning(password, MOST_CHARACTERS);
    long ambiguous = beginning.chars().filter(each -> AMBIGUOUS.indexOf(each) >= 0).count();
    Estimators estimators = estimators();
    Nbvcxz estimator = ambiguous > MOST_AMBIGUOUS ? estimators.bounded() : estimators.thorough();
    try {
      return estimator.estimate(beginning).getEntropy();
    } catch (RuntimeException e) {
      // The class alone: a message may contain the password.
      LOG.log(System.Logger.Level.DEBUG, "no estimate of a password: {0}", e.getClass());
      return Double.POSITIVE_INFINITY;
    }
  }

  private Estimators estimators() {
    Estimators known = loaded;
    return known == null ? load() : known;
  }

  private synchronized Estimators load() {
    Estimators known = loaded;
    if (known != null) {
      return known;
    }
    Map<Character, Character[]> all = ConfigurationBuilder.getDefaultLeetTable();
    Map<Character, Character[]> first = new HashMap<>();
    all.forEach((sign, letters) -> first.put(sign, new Character[] {letters[0]}));
    Estimators estimators = new Estimators(estimator(all), estimator(first));
    loaded = estimators;
    return estimators;
  }

  /**
   * Creates an estimator without the search for the best combination of patterns, which may take
   * any time, and without that for similar words, which compares whole dictionaries.
   */
  private static Nbvcxz estimator(Map<Character, Character[]> signs) {
    return new Nbvcxz(
        new ConfigurationBuilder()
            .setLocale(Locale.ROOT)
            .setGuessTypes(Map.of())
            .setMaxLength(MOST_CHARACTERS)
            .setLeetTable(signs)
            .setYearPattern(YEARS)
            .setDistanceCalc(false)
            .setCombinationAlgorithmTimeout(0L)
            .createConfiguration());
  }
}
