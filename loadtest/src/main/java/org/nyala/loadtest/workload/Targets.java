package org.nyala.loadtest.workload;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.loadtest.ldap.RequestTemplate;

/**
 * The targets of requests: numbered values of an attribute, or the lines of a file, and the order
 * in which they are taken.
 *
 * <p>Immutable.
 *
 * @param attribute the attribute of the values
 * @param prefix the text before the number
 * @param suffix the text behind it
 * @param first the smallest number
 * @param width the number of digits of every number, leading zeros included; 0: as many as it has
 * @param lines the lines of a file, instead of numbers; empty: numbers
 * @param order the order in which they are taken
 * @param skew the unevenness of {@link Order#ZIPF}: the value of rank r is taken in proportion to
 *     {@code 1 / r^skew}
 */
public record Targets(
    String attribute,
    String prefix,
    String suffix,
    int first,
    int width,
    List<String> lines,
    Order order,
    double skew) {

  /** The order in which values are taken. */
  public enum Order {
    /** By chance, with equal probability. */
    RANDOM,
    /** One after the other, over and over, all clients of an event loop together. */
    SEQUENTIAL,
    /** By chance, the first ones with a much higher probability. */
    ZIPF
  }

  private static final Pattern RANGE =
      Pattern.compile(
          "(?:([A-Za-z][A-Za-z0-9;.-]*)=)?([^\\[\\]]*)\\[(\\d{1,18})-(\\d{1,18})]([^\\[\\]]*)");
  private static final String VALUES = "a pattern such as uid=user.[0-99999]";
  private static final double DEFAULT_SKEW = 0.99;

  /** {@code uid=user.0} and so on, by chance. */
  public static final Targets PEOPLE =
      new Targets("uid", "user.", "", 0, 0, List.of(), Order.RANDOM, DEFAULT_SKEW);

  public Targets {
    lines = List.copyOf(lines);
    LoadSettings.require(skew > 0 && skew < 100, "--skew", "above 0 and below 100", skew);
  }

  /** A pattern and its number of values. Immutable. */
  public record Range(Targets values, int count) {}

  /**
   * Reads a pattern: {@code uid=user.[0-99999]}; {@code [00000-99999]} has numbers with leading
   * zeros.
   *
   * @throws IllegalArgumentException if the text is not a pattern
   */
  public static Range parse(String pattern, Order order, double skew) {
    Matcher matcher = RANGE.matcher(pattern);
    LoadSettings.require(matcher.matches(), "--values", VALUES, pattern);
    String attribute = matcher.group(1);
    long first = Long.parseLong(matcher.group(3));
    long last = Long.parseLong(matcher.group(4));
    int width =
        isPadded(matcher.group(3)) || isPadded(matcher.group(4))
            ? matcher.end(4) - matcher.start(4)
            : 0;
    boolean isEven = width == 0 || matcher.group(3).length() == width;
    boolean isSmall =
        matcher.group(4).length() <= RequestTemplate.MAX_DIGITS && last < Integer.MAX_VALUE;
    LoadSettings.require(isEven && isSmall && first <= last, "--values", VALUES, pattern);
    Targets values =
        new Targets(
            attribute == null ? "uid" : attribute,
            matcher.group(2),
            matcher.group(5),
            (int) first,
            width,
            List.of(),
            order,
            skew);
    return new Range(values, (int) (last - first + 1));
  }

  /** Returns whether a text has one range of numbers, or no placeholder. */
  public static boolean isRange(String pattern) {
    return RANGE.matcher(pattern).matches()
        || pattern.indexOf('[') < 0 && pattern.indexOf('{') < 0 && pattern.indexOf('%') < 0;
  }

  private static boolean isPadded(String number) {
    return number.length() > 1 && number.charAt(0) == '0';
  }

  /** Reads the lines of a file; blank ones are left out. */
  public static Range read(Path file, String attribute, Order order, double skew)
      throws IOException {
    List<String> lines = PatternReader.lines(file).stream().filter(l -> !l.isBlank()).toList();
    LoadSettings.require(
        !lines.isEmpty(), "--names", "a file with lines", "the empty file " + file);
    return new Range(new Targets(attribute, "", "", 0, 0, lines, order, skew), lines.size());
  }

  /** The same in another order. */
  public Targets inOrder(Order other, double otherSkew) {
    return new Targets(attribute, prefix, suffix, first, width, lines, other, otherSkew);
  }

  /** The same numbers without the first ones. */
  public Targets from(int place) {
    return new Targets(attribute, prefix, suffix, first + place, width, lines, order, skew);
  }

  /** Returns whether values are numbered, so that the value of an answer can be known. */
  public boolean isPattern() {
    return lines.isEmpty();
  }

  /** Returns whether the values are the same. */
  public boolean hasNamesOf(Targets other) {
    return inOrder(other.order, other.skew).equals(other);
  }

  public String value(String number) {
    return prefix + number + suffix;
  }

  /** The number of a person as requests have it, by the place among all, from 0 up. */
  public String number(int place) {
    String digits = Integer.toString(first + place);
    return "0".repeat(Math.max(0, width - digits.length())) + digits;
  }

  /** The name of the entry with a number. */
  public String rdn(String number) {
    return attribute + "=" + value(number);
  }

  /** Chooses numbers for a client: those of its values, or of the lines. */
  public Chooser chooser(int count) {
    return switch (order) {
      case RANDOM -> source -> first + source.randomBelow(count);
      case SEQUENTIAL -> source -> first + (int) (source.nextInSequence() % count);
      case ZIPF -> {
        Zipf zipf = new Zipf(count, skew);
        yield source -> first + zipf.rank(source) - 1;
      }
    };
  }

  /** A source of the numbers that random choices are made of. Hot. */
  public interface RandomSource extends Zipf.Fractions {
    /** A random number from 0 up. */
    int randomBelow(int bound);

    /** The next number from 0 up; each once for all clients together. */
    long nextInSequence();
  }

  /** Chooses the number of the next value. Hot. */
  public interface Chooser {
    int next(RandomSource source);
  }
}
