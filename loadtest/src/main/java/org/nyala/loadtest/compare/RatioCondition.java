package org.nyala.loadtest.compare;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.nyala.loadtest.compare.SavedResult.SavedFigure;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * A condition under which a comparison of results fails: {@code rate<0.95}. Immutable.
 *
 * @param text the condition as it was given
 * @param isUpper true if the comparison fails above the bound, false if it fails below
 * @param bound the bound of the ratio to the baseline
 */
record RatioCondition(String text, SavedFigure figure, boolean isUpper, double bound) {
  private static final Pattern FORM =
      Pattern.compile("([a-z0-9-]+)\\s*([<>])\\s*(\\d{1,9}(?:\\.\\d{1,9})?)");

  /**
   * Reads a condition.
   *
   * @throws IllegalArgumentException if the text is none
   */
  static RatioCondition parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    Optional<SavedFigure> figure =
        form.matches()
            ? Arrays.stream(SavedFigure.values())
                .filter(each -> each.label().equals(form.group(1)))
                .findFirst()
            : Optional.empty();
    LoadSettings.require(
        figure.isPresent(),
        "--fail-if",
        "a figure ("
            + Arrays.stream(SavedFigure.values())
                .map(SavedFigure::label)
                .collect(Collectors.joining(", "))
            + ") and a bound of its ratio to the baseline, such as rate<0.95",
        text);
    return new RatioCondition(
        text, figure.orElseThrow(), form.group(2).equals(">"), Double.parseDouble(form.group(3)));
  }

  /**
   * Returns why a comparison fails, in one sentence; empty if it does not.
   *
   * @param subject the compared results
   * @param isSure true if the whole interval must be beyond the bound
   */
  Optional<String> failure(String subject, RatioInterval ratio, boolean isSure) {
    double value = isSure ? isUpper ? ratio.low() : ratio.high() : ratio.ratio();
    if (isUpper ? value <= bound : value >= bound) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "%s: %s %s, and the comparison fails if %s%s.",
            subject,
            figure.label(),
            Double.isNaN(ratio.ratio())
                ? "is not known in both"
                : "is " + ratio.text() + " times that of the baseline",
            text,
            isSure ? " for the whole interval" : ""));
  }
}
