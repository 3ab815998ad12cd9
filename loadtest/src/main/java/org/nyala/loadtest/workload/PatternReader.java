package org.nyala.loadtest.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A reader of texts with placeholders, in three notations that may be mixed: braces ({@code {n}},
 * {@code {column}}, {@code {rand(1,9)}}), the brackets of the UnboundID LDAP SDK ({@code [1-9]}),
 * and the conversions of OpenDJ's tools ({@code %d}, {@code {1}}) for the generators of its
 * options.
 *
 * <p>Confined to one thread.
 */
public final class PatternReader {
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";
  private static final String ALPHANUMERIC = "[A-Z][a-z][0-9]";

  /**
   * The files that options and patterns may name; all of them while nobody sets it. An agent sets
   * it, whose command line comes from elsewhere.
   */
  public static final ScopedValue<Predicate<Path>> READABLE = ScopedValue.newInstance();

  /** The most characters of a random text. */
  public static final int MOST_CHARACTERS = 65_536;

  private static final Pattern FUNCTION = Pattern.compile("([a-z]+)\\((.*)\\)");
  private static final Pattern RANGE =
      Pattern.compile("(-?\\d{1,18})([-:])(-?\\d{1,18})(?:x(\\d{1,9}))?(?:%([0#]{1,18}))?");
  private static final Pattern NUMBERS = Pattern.compile("(-?\\d{1,18}),(-?\\d{1,18})");
  private static final Pattern CONVERSION =
      Pattern.compile("%(?:(\\d{1,4})\\$)?(?:0(\\d{1,2}))?[ds]");
  private static final Pattern WEIGHTED = Pattern.compile("(.*)=(\\d{1,9})");
  private static final Pattern LENGTHS = Pattern.compile("(\\d{1,5})(?:[:-](\\d{1,5}))?");

  private final @Nullable Table table;
  private final List<String> generators;
  private final Map<Integer, Source> generated = new HashMap<>();
  private final List<Source> bracketed = new ArrayList<>();
  private String option = "";
  private String text = "";
  private long people = 1;
  private long salts;
  private int conversions;
  private boolean isOfPeople;
  private boolean isSequential;
  private int numberedPeople;

  /**
   * Begins.
   *
   * @param table the file whose columns are placeholders, a row for each person; null for none
   * @param generators the generators that {@code %d} and {@code {1}} mean, in their order
   */
  public PatternReader(@Nullable Table table, List<String> generators) {
    this.table = table;
    this.generators = List.copyOf(generators);
  }

  /** A reader without columns and generators, whose random values differ from seed to seed. */
  public static PatternReader salted(long seed) {
    PatternReader reader = new PatternReader(null, List.of());
    reader.salts = seed * 0x2545F4914F6CDD1DL;
    return reader;
  }

  /** One of several texts by their weights, which are 0 or above, and not all 0. */
  public TextPattern weighted(List<String> texts, List<Long> weights) {
    byte[][] all = texts.stream().map(text -> text.getBytes(UTF_8)).toArray(byte[][]::new);
    long[] sums = weights.stream().mapToLong(Long::longValue).toArray();
    Arrays.parallelPrefix(sums, Long::sum);
    return inserted(
        new Source.Texts(
            new Source.Choice(Source.Way.RANDOM, all.length, ++salts, 1), all, sums, false));
  }

  /**
   * Random characters.
   *
   * @param most the most of them, at most {@link #MOST_CHARACTERS}
   */
  public TextPattern characters(int least, int most, String symbols) {
    return inserted(new Source.Characters(least, most, points(symbols), ++salts));
  }

  private static TextPattern inserted(Source source) {
    return new TextPattern(List.of(new TextPattern.Inserted(source)));
  }

  /**
   * Reads the text that distinguishes people: there is one for each combination of its ranges and
   * lists. It must be the first one that is read.
   *
   * @throws IllegalArgumentException if the text is not a pattern
   */
  public TextPattern people(String optionName, String pattern) {
    isOfPeople = table == null;
    try {
      return read(optionName, pattern);
    } finally {
      isOfPeople = false;
    }
  }

  /** The number of people: rows of the table, or combinations. */
  public int count() {
    return table != null ? table.rows() : numberedPeople > 0 ? numberedPeople : (int) people;
  }

  /** People that differ by their number only. */
  public void numbered(int count) {
    numberedPeople = count;
  }

  /** Returns whether the text that distinguishes people wants them one after the other. */
  public boolean isSequential() {
    return isSequential;
  }

  /**
   * Reads a text.
   *
   * @throws IllegalArgumentException if the text is not a pattern
   */
  public TextPattern read(String optionName, String pattern) {
    option = optionName;
    text = pattern;
    conversions = 0;
    bracketed.clear();
    List<TextPattern.Part> parts = new ArrayList<>();
    StringBuilder literal = new StringBuilder();
    int at = 0;
    while (at < pattern.length()) {
      char c = pattern.charAt(at);
      boolean isDoubled = at + 1 < pattern.length() && pattern.charAt(at + 1) == c;
      Source source = null;
      int end = at + 1;
      if ((c == '{' || c == '[' || c == ']' || c == '}' || c == '%' && !generators.isEmpty())
          && isDoubled) {
        end = at + 2;
      } else if (c == '{' || c == '[') {
        end = closing(at, c == '{' ? '}' : ']') + 1;
        String inner = pattern.substring(at + 1, end - 1);
        source = c == '{' ? braces(inner) : brackets(inner);
      } else if (c == '%' && !generators.isEmpty()) {
        Matcher conversion = CONVERSION.matcher(pattern).region(at, pattern.length());
        require(conversion.lookingAt(), "%d, %s, %1$d, or %% for a percent sign");
        source = converted(conversion);
        end = conversion.end();
      } else {
        require(c < '\ue000' || c > '\uf8ff', "a text without characters of private use");
      }
      if (source == null) {
        literal.append(c);
      } else {
        if (!literal.isEmpty()) {
          parts.add(new TextPattern.Literal(literal.toString()));
          literal.setLength(0);
        }
        parts.add(new TextPattern.Inserted(source));
      }
      at = end;
    }
    if (!literal.isEmpty()) {
      parts.add(new TextPattern.Literal(literal.toString()));
    }
    return new TextPattern(parts);
  }

  /** The place of the bracket that closes a placeholder, whose own brackets come in pairs. */
  private int closing(int open, char closing) {
    int depth = 0;
    for (int at = open; at < text.length(); at++) {
      char c = text.charAt(at);
      depth += c == text.charAt(open) ? 1 : c == closing ? -1 : 0;
      if (depth == 0) {
        return at;
      }
    }
    throw refused(
        "a text in which '" + text.charAt(open) + "' is closed, or written twice if it is meant");
  }

  private Source braces(String inner) {
    if (inner.matches("\\d{1,4}")) {
      return generator(Integer.parseInt(inner));
    }
    if (table != null && table.columns().contains(inner)) {
      return table.column(inner);
    }
    return switch (inner) {
      case "n" -> new Source.Numbers(choice(Source.Way.PERSON, Integer.MAX_VALUE, 1), 0, 1, 0);
      case "op" -> new Source.Operation();
      case "uuid" -> new Source.Uuids(++salts);
      default -> {
        Matcher function = FUNCTION.matcher(inner);
        require(
            function.matches(),
            table == null
                ? "a text with {n}, {op}, {uuid}, {rand(1,9)} and the like; columns take --names"
                : "a text with columns of --names in braces, which are "
                    + String.join(", ", table.columns()));
        yield function(function.group(1), function.group(2));
      }
    };
  }

  private Source function(String name, String arguments) {
    return switch (name) {
      case "rand" -> listed(arguments, Source.Way.RANDOM);
      case "inc" -> listed(arguments, Source.Way.SEQUENTIAL);
      case "randstr" -> {
        int comma = arguments.indexOf(',');
        yield characters(
            comma < 0 ? arguments : arguments.substring(0, comma),
            symbols(comma < 0 ? ALPHANUMERIC : arguments.substring(comma + 1)));
      }
      case "pick" -> picked(arguments);
      default -> throw refused("one of rand, inc, randstr and pick before the parenthesis");
    };
  }

  /** Numbers of a range, or lines of a file. */
  private Source listed(String arguments, Source.Way way) {
    Matcher numbers = NUMBERS.matcher(arguments.replace(" ", ""));
    return numbers.matches()
        ? numbers(number(numbers.group(1)), number(numbers.group(2)), 1, 0, way)
        : lines(arguments, way);
  }

  private Source generator(int number) {
    require(
        number >= 1 && number <= generators.size(),
        "a text that asks for no more generators than there are options -g ("
            + generators.size()
            + ")");
    Source known = generated.get(number);
    if (known != null) {
      return known;
    }
    Matcher function = FUNCTION.matcher(generators.get(number - 1).strip());
    if (!function.matches()) {
      throw new IllegalArgumentException(
          "-g must be rand(FROM,TO), inc(FROM,TO), randstr(LENGTH) or the like, not "
              + generators.get(number - 1));
    }
    Source made = function(function.group(1), function.group(2));
    generated.put(number, made);
    return made;
  }

  private Source converted(Matcher conversion) {
    String place = conversion.group(1);
    Source source = generator(place == null ? ++conversions : Integer.parseInt(place));
    String width = conversion.group(2);
    return width != null && source instanceof Source.Numbers numbers
        ? new Source.Numbers(
            numbers.choice(), numbers.first(), numbers.step(), Integer.parseInt(width))
        : source;
  }

  private Source brackets(String inner) {
    if (inner.startsWith("ref")) {
      String place = inner.substring(inner.startsWith("ref:") ? 4 : 3);
      boolean isKnown =
          place.matches("[1-9]\\d{0,3}") && Integer.parseInt(place) <= bracketed.size();
      require(isKnown, "a text in which [ref:1] and the like come behind what they repeat");
      return bracketed.get(Integer.parseInt(place) - 1);
    }
    Source source = bracketedSource(inner);
    bracketed.add(source);
    return source;
  }

  private Source bracketedSource(String inner) {
    int colon = inner.indexOf(':');
    String kind = colon < 0 ? inner : inner.substring(0, colon);
    String rest = inner.substring(colon + 1);
    return switch (kind) {
      case "file", "randomfile" -> lines(rest, Source.Way.RANDOM);
      case "sequentialfile", "streamfile" -> lines(rest, Source.Way.SEQUENTIAL);
      case "sequential" ->
          RANGE.matcher(rest).matches()
              ? range(rest, Source.Way.SEQUENTIAL)
              : lines(rest, Source.Way.SEQUENTIAL);
      case "random" -> {
        int second = rest.indexOf(':');
        boolean hasSymbols = second > 0 && !LENGTHS.matcher(rest).matches();
        yield characters(
            hasSymbols ? rest.substring(0, second) : rest,
            points(hasSymbols ? rest.substring(second + 1) : LETTERS));
      }
      case "uuid" -> new Source.Uuids(++salts);
      default -> range(inner, null);
    };
  }

  private Source range(String inner, Source.@Nullable Way way) {
    Matcher range = RANGE.matcher(inner);
    require(
        range.matches(),
        "a text with [1-1000], [1:1000], [file:PATH], [random:8], [uuid] or [ref:1] in brackets,"
            + " which are written twice if they are meant");
    String format = range.group(5);
    String from = range.group(1);
    String to = range.group(3);
    boolean isPadded = isPadded(from) || isPadded(to);
    require(
        !isPadded || from.length() == to.length() || format != null || isPadded(to),
        "a range whose ends have as many digits");
    int width =
        format != null
            ? (int) format.chars().filter(c -> c == '0').count()
            : isPadded ? to.length() : 0;
    long step = range.group(4) == null ? 1 : number(range.group(4));
    Source.Way otherwise = ":".equals(range.group(2)) ? Source.Way.SEQUENTIAL : Source.Way.RANDOM;
    return numbers(number(from), number(to), step, width, way == null ? otherwise : way);
  }

  private static boolean isPadded(String number) {
    return number.length() > 1 && number.charAt(0) == '0';
  }

  private Source numbers(long first, long last, long step, int width, Source.Way way) {
    require(step >= 1, "a range with a step of 1 or above");
    long count = Math.abs(last - first) / Math.max(1, step) + 1;
    require(count > 0 && count < Integer.MAX_VALUE, "a range of fewer than 2147483647 numbers");
    return new Source.Numbers(
        choice(way, (int) count, 0), first, last < first ? -step : step, width);
  }

  /**
   * Reads the lines of a file that an option or a pattern names, if that is {@link #READABLE}.
   *
   * @throws IllegalArgumentException if it is not
   */
  static List<String> lines(Path file) throws IOException {
    if (READABLE.isBound() && !READABLE.get().test(file)) {
      throw new IllegalArgumentException(
          "a file must be in the folder that the agent's --files allows, not " + file);
    }
    return Files.readAllLines(file);
  }

  private Source.Texts lines(String file, Source.Way way) {
    try {
      byte[][] lines =
          lines(Path.of(file.strip())).stream()
              .filter(line -> !line.isBlank())
              .map(line -> line.getBytes(UTF_8))
              .toArray(byte[][]::new);
      require(lines.length > 0, "a text that names a file with lines");
      return new Source.Texts(choice(way, lines.length, 0), lines, new long[0], false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (java.nio.file.InvalidPathException _) {
      throw refused("a text that names a file");
    }
  }

  private Source picked(String arguments) {
    List<byte[]> texts = new ArrayList<>();
    List<Long> sums = new ArrayList<>();
    boolean isWeighted = false;
    long sum = 0;
    for (String one : arguments.split(",", -1)) {
      Matcher weighted = WEIGHTED.matcher(one);
      boolean hasWeight = weighted.matches();
      isWeighted |= hasWeight;
      long weight = hasWeight ? number(weighted.group(2)) : 1;
      require(weight > 0, "a text with weights of 1 or above, such as {pick(a=3,b=1)}");
      sum += weight;
      texts.add((hasWeight ? weighted.group(1) : one).getBytes(UTF_8));
      sums.add(sum);
    }
    byte[][] all = texts.toArray(byte[][]::new);
    long[] weights = isWeighted ? sums.stream().mapToLong(Long::longValue).toArray() : new long[0];
    Source.Choice choice =
        isWeighted
            ? new Source.Choice(Source.Way.RANDOM, all.length, ++salts, 1)
            : choice(Source.Way.RANDOM, all.length, 0);
    return new Source.Texts(choice, all, weights, false);
  }

  private Source characters(String lengths, byte[][] symbols) {
    Matcher matcher = LENGTHS.matcher(lengths.strip());
    require(matcher.matches(), "a text with a length of random characters, such as {randstr(16)}");
    int least = Integer.parseInt(matcher.group(1));
    int most = matcher.group(2) == null ? least : Integer.parseInt(matcher.group(2));
    require(
        least <= most && most <= MOST_CHARACTERS && symbols.length > 0,
        "a text with at most " + MOST_CHARACTERS + " random characters, of at least one kind");
    return new Source.Characters(least, most, symbols, ++salts);
  }

  /** The characters of a set such as {@code [A-Z][0-9]_}. */
  private static byte[][] symbols(String set) {
    StringBuilder all = new StringBuilder();
    Matcher ranges = Pattern.compile("\\[(.)-(.)]|(.)", Pattern.DOTALL).matcher(set);
    while (ranges.find()) {
      if (ranges.group(3) != null) {
        all.append(ranges.group(3));
      } else {
        for (char c = ranges.group(1).charAt(0); c <= ranges.group(2).charAt(0); c++) {
          all.append(c);
        }
      }
    }
    return points(all.toString());
  }

  private static byte[][] points(String set) {
    return set.codePoints()
        .mapToObj(point -> Character.toString(point).getBytes(UTF_8))
        .toArray(byte[][]::new);
  }

  /** A choice by the way that is asked for, or by the person in what distinguishes people. */
  private Source.Choice choice(Source.Way way, int count, int divisor) {
    if (!isOfPeople || divisor > 0) {
      return new Source.Choice(way, count, ++salts, Math.max(1, divisor));
    }
    isSequential |= way == Source.Way.SEQUENTIAL;
    Source.Choice choice = new Source.Choice(Source.Way.PERSON, count, 0, (int) people);
    people *= count;
    require(people < Integer.MAX_VALUE, "a text that distinguishes fewer than 2147483647 people");
    return choice;
  }

  private static long number(String digits) {
    return Long.parseLong(digits);
  }

  private void require(boolean holds, String expected) {
    if (!holds) {
      throw refused(expected);
    }
  }

  private IllegalArgumentException refused(String expected) {
    return new IllegalArgumentException(option + " must be " + expected + ", not " + text);
  }
}
