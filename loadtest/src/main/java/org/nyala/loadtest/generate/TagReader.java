package org.nyala.loadtest.generate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.charset.Charset;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.workload.PatternReader;
import org.nyala.loadtest.workload.Zipf;

/**
 * A reader of the values of a template: text, tags in angle brackets, and in braces the values of
 * other attributes or the placeholders of {@link PatternReader}. Confined to one thread.
 */
final class TagReader {
  private static final Pattern ATTRIBUTE =
      Pattern.compile("([A-Za-z0-9][A-Za-z0-9;.-]*)(?::\\s*(\\d{1,9}))?");
  private static final Pattern WEIGHTED = Pattern.compile("(.*);\\s*(\\d{1,9})", Pattern.DOTALL);
  private static final Pattern WITH_COLON = Pattern.compile("([^:]*):\\s*(\\d{1,9})");
  private static final List<String> PLACEHOLDERS = List.of("n", "op", "uuid");
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";
  private static final String DIGITS = "0123456789";
  private static final List<String> MONTHS =
      List.of(
          "January",
          "February",
          "March",
          "April",
          "May",
          "June",
          "July",
          "August",
          "September",
          "October",
          "November",
          "December");
  private static final String KINDS =
      "alpha, alphanumeric, base64, chars, hex, month, normal, numeric, telephone, timestamp or"
          + " zipf";
  private static final long MOST = Long.MAX_VALUE >> 2;
  private static final double DEFAULT_SKEW = 0.99;
  private static final double MOST_SKEW = 99;
  private static final long MOST_RANKS = 1 << 30;

  private final WordLists lists;
  private final PatternReader patterns;
  private final Function<String, @Nullable EntryTemplate> templates;
  private final List<PlacedMember> members = new ArrayList<>();
  private long salts;

  private EntryTemplate template = new EntryTemplate(0, new Place("", 0), "", true);
  private Place place = template.place;
  private List<Line.Condition> conditions = new ArrayList<>();
  private Tag.@Nullable Repeated repeated;

  /** A tag with members, whose number is checked when all entries are counted. */
  private record PlacedMember(Place place, Tag.Member member) {}

  /**
   * Begins.
   *
   * @param templates finds templates by their names, also those that are not read yet
   */
  TagReader(WordLists lists, long seed, Function<String, @Nullable EntryTemplate> templates) {
    this.lists = lists;
    this.patterns = PatternReader.salted(seed);
    this.templates = templates;
  }

  /** Reads a line, which follows those that the template has. */
  Line line(EntryTemplate of, Place at, String attribute, Line.Form form, String value)
      throws IOException {
    template = of;
    place = at;
    conditions = new ArrayList<>();
    repeated = null;
    List<Tag> tags = tags(value);
    place.require(
        repeated == null || form == Line.Form.PLAIN,
        "<loop> and <member> in plain values only",
        "'" + value + "'");
    return new Line(place, attribute, form, tags, conditions, repeated);
  }

  /** Checks that no entry wants more members than there are entries. */
  void checkMembers(DirectoryTemplate directory) {
    for (PlacedMember placed : members) {
      EntryTemplate wanted = placed.member.template();
      long entries = directory.entriesOf(wanted);
      if (placed.member.most() > entries) {
        throw placed.place.problem(
            "<member> wants "
                + placed.member.most()
                + " entries of the template "
                + wanted.name
                + ", but the file makes "
                + entries);
      }
    }
  }

  private List<Tag> tags(String value) throws IOException {
    List<Tag> tags = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    int at = 0;
    while (at < value.length()) {
      char c = value.charAt(at);
      if (c == '<' || c == '{') {
        int end = closing(value, at, c == '<' ? '>' : '}');
        if (!text.isEmpty()) {
          tags.add(literal(text.toString()));
          text.setLength(0);
        }
        String inner = value.substring(at + 1, end);
        Tag tag = c == '<' ? tag(inner) : braces(inner);
        if (tag != null) {
          tags.add(tag);
        }
        at = end + 1;
        continue;
      }
      if (c == '\\') {
        at++;
        place.require(at < value.length(), "a character behind the backslash", "the end");
      }
      text.append(value.charAt(at));
      at++;
    }
    if (!text.isEmpty()) {
      tags.add(literal(text.toString()));
    }
    return tags;
  }

  private int closing(String value, int open, char closing) {
    for (int at = open + 1; at < value.length(); at++) {
      if (value.charAt(at) == '\\') {
        at++;
      } else if (value.charAt(at) == closing) {
        return at;
      }
    }
    throw place.refused(
        "'" + closing + "' behind '" + value.charAt(open) + "', or \\" + value.charAt(open),
        "'" + value.substring(open) + "'");
  }

  private static Tag literal(String text) {
    return new Tag.Literal(text.getBytes(UTF_8));
  }

  private static String unescaped(String text) {
    return text.replaceAll("\\\\(.)", "$1");
  }

  /** The value of an attribute, or a placeholder. */
  private Tag braces(String inner) {
    Matcher matcher = ATTRIBUTE.matcher(inner.strip());
    if (matcher.matches()) {
      List<Integer> lines = template.linesOf(matcher.group(1), template.lines.size());
      if (!lines.isEmpty() || !PLACEHOLDERS.contains(inner)) {
        String most = matcher.group(2);
        return new Tag.Reference(
            known(matcher.group(1)), most == null ? Integer.MAX_VALUE : Integer.parseInt(most));
      }
    }
    try {
      return new Tag.Pattern(patterns.read(place + ": the value", "{" + inner + "}"));
    } catch (java.io.UncheckedIOException e) {
      throw place.problem("the file of {" + inner + "} cannot be read: " + e.getMessage());
    }
  }

  private List<Integer> known(String attribute) {
    List<Integer> lines = template.linesOf(attribute, template.lines.size());
    if (lines.isEmpty()) {
      throw place.problem(
          "the attribute '"
              + attribute
              + "' is not made yet; "
              + template.title()
              + " must have its line before this one");
    }
    return lines;
  }

  /** A tag; null for a condition of the whole line. */
  private @Nullable Tag tag(String inner) throws IOException {
    List<String> words =
        Arrays.stream(inner.split(":"))
            .map(String::strip)
            .filter(word -> !word.isEmpty())
            .map(TagReader::unescaped)
            .toList();
    place.require(!words.isEmpty(), "the name of a tag behind '<', or \\<", "'<" + inner + ">'");
    String name = words.getFirst().toLowerCase(Locale.ROOT);
    List<String> arguments = words.subList(1, words.size());
    return switch (name) {
      case "dn" -> named(Tag.Name.Kind.DN, arguments);
      case "_dn" -> new Tag.Underscored(List.of(named(Tag.Name.Kind.DN, arguments)));
      case "rdn" -> named(Tag.Name.Kind.RDN, exactly(arguments, 0, 0, name));
      case "parentdn" -> named(Tag.Name.Kind.PARENT, exactly(arguments, 0, 0, name));
      case "_parentdn" ->
          new Tag.Underscored(List.of(named(Tag.Name.Kind.PARENT, exactly(arguments, 0, 0, name))));
      case "first" -> personName(true, exactly(arguments, 0, 0, name));
      case "last" -> personName(false, exactly(arguments, 0, 0, name));
      case "guid" -> {
        exactly(arguments, 0, 0, name);
        yield new Tag.Pattern(patterns.read(place.toString(), "{uuid}"));
      }
      case "sequential", "sequentialnumber" -> sequential(exactly(arguments, 0, 2, name));
      case "statictext" -> literal(exactly(arguments, 1, 1, name).getFirst());
      case "file" -> fileLine(exactly(arguments, 1, 3, name));
      case "list" -> list(inner, exactly(arguments, 1, Integer.MAX_VALUE, name));
      case "random" -> random(exactly(arguments, 1, 5, name));
      case "base64" -> encoded(inner);
      case "ssha" -> new Tag.SaltedHash(tags(behindColon(inner)), ++salts);
      case "loop" -> loop(exactly(arguments, 2, 2, name));
      case "member" -> member(exactly(arguments, 1, 5, name));
      case "presence", "ifpresent", "ifabsent" -> {
        conditions.add(condition(name, arguments));
        yield null;
      }
      case "exec", "custom" ->
          throw place.problem("the tag <" + name + "> runs other programs, and is not supported");
      default ->
          throw place.problem(
              "there is no tag <"
                  + words.getFirst()
                  + ">; there are dn, _dn, rdn, parentdn, _parentdn, first, last, guid, sequential,"
                  + " file, list, random, presence, ifpresent, ifabsent, base64, ssha, loop, member"
                  + " and statictext");
    };
  }

  private List<String> exactly(List<String> arguments, int least, int most, String name) {
    if (arguments.size() < least || arguments.size() > most) {
      throw place.refused(
          least == most
              ? "<" + name + "> with " + least + " parts behind colons"
              : "<" + name + "> with " + least + " or more parts behind colons",
          Integer.toString(arguments.size()));
    }
    return arguments;
  }

  private Tag.Name named(Tag.Name.Kind kind, List<String> arguments) {
    exactly(arguments, 0, 1, "dn");
    int rdns =
        arguments.isEmpty()
            ? Tag.Name.ALL
            : (int) place.number(arguments.getFirst(), "a number of RDNs", -1000, 1000);
    return new Tag.Name(kind, rdns);
  }

  private Line.Condition condition(String name, List<String> arguments) {
    if ("presence".equals(name)) {
      String percent = exactly(arguments, 1, 1, name).getFirst();
      return new Line.Condition.Presence(
          (int) place.number(percent, "a percentage", 0, 100), ++salts);
    }
    exactly(arguments, 1, 2, name);
    return new Line.Condition.Having(
        known(arguments.getFirst()),
        arguments.size() == 1 ? null : arguments.getLast(),
        "ifpresent".equals(name));
  }

  private Tag personName(boolean isFirst, List<String> none) throws IOException {
    byte[][] firstNames = lists.lines(place, "first.names");
    byte[][] lastNames = lists.lines(place, "last.names");
    long pairs = (long) firstNames.length * lastNames.length;
    long step = (long) (pairs * 0.618) + none.size() + 1;
    while (Generation.greatestDivisor(step, pairs) != 1) {
      step++;
    }
    return new Tag.PersonName(firstNames, lastNames, isFirst, step);
  }

  private Tag sequential(List<String> arguments) {
    long first =
        arguments.isEmpty()
            ? 0
            : place.number(arguments.getFirst(), "the first number", -MOST, MOST);
    boolean isOfParent = true;
    if (arguments.size() == 2) {
      String reset = arguments.getLast();
      isOfParent = "true".equalsIgnoreCase(reset);
      place.require(
          isOfParent || "false".equalsIgnoreCase(reset),
          "true or false: whether numbers begin again below each parent",
          "'" + reset + "'");
    }
    return new Tag.Sequential(first, isOfParent);
  }

  private Tag fileLine(List<String> arguments) throws IOException {
    byte[][] lines = lists.lines(place, arguments.getFirst());
    String way = arguments.size() == 1 ? "random" : arguments.get(1).toLowerCase(Locale.ROOT);
    place.require(
        List.of("random", "sequential", "zipf").contains(way)
            && (arguments.size() < 3 || "zipf".equals(way)),
        "random, sequential or zipf behind the file",
        "'" + way + "'");
    Zipf zipf = "zipf".equals(way) ? zipf(lines.length, arguments, 2) : null;
    return new Tag.ListLine(lines, "sequential".equals(way), zipf, ++salts);
  }

  private Zipf zipf(long count, List<String> arguments, int skewAt) {
    place.require(count <= MOST_RANKS, "at most " + MOST_RANKS + " numbers", Long.toString(count));
    double skew =
        arguments.size() <= skewAt
            ? DEFAULT_SKEW
            : place.decimal(arguments.get(skewAt), "a skew above 0 and below 100", 1e-3, MOST_SKEW);
    return new Zipf((int) count, skew);
  }

  /** Values with weights: {@code a;50:b;20}, or {@code a:50,b:20} as in SLAMD. */
  private Tag list(String inner, List<String> arguments) {
    List<String> byComma = Arrays.stream(behindColon(inner).split(",")).map(String::strip).toList();
    boolean areWeighted =
        byComma.size() > 1 && byComma.stream().allMatch(one -> WITH_COLON.matcher(one).matches());
    boolean areBare =
        byComma.size() > 1 && arguments.size() == 1 && !WEIGHTED.matcher(inner).matches();
    List<String> all = areWeighted || areBare ? byComma : arguments;
    List<String> texts = new ArrayList<>();
    List<Long> weights = new ArrayList<>();
    for (String one : all) {
      Matcher weighted = (areWeighted ? WITH_COLON : WEIGHTED).matcher(one);
      boolean hasWeight = weighted.matches();
      texts.add(unescaped(hasWeight ? weighted.group(1) : one));
      weights.add(hasWeight ? Long.parseLong(weighted.group(2)) : 1);
    }
    place.require(
        weights.stream().mapToLong(Long::longValue).sum() > 0,
        "a weight above 0",
        "<" + inner + ">");
    return new Tag.Pattern(patterns.weighted(texts, weights));
  }

  private static String behindColon(String inner) {
    return inner.substring(inner.indexOf(':') + 1);
  }

  private Tag random(List<String> arguments) {
    String kind = arguments.getFirst().toLowerCase(Locale.ROOT);
    List<String> rest = arguments.subList(1, arguments.size());
    return switch (kind) {
      case "alpha" -> characters(LETTERS, rest);
      case "alphanumeric" -> characters(LETTERS + DIGITS, rest);
      case "hex" -> characters(DIGITS + "abcdef", rest);
      case "base64" -> characters(LETTERS.toUpperCase(Locale.ROOT) + LETTERS + DIGITS + "+/", rest);
      case "chars" -> {
        place.require(rest.size() >= 2, "<random:chars:CHARACTERS:LENGTH>", kind);
        yield characters(rest.getFirst(), rest.subList(1, rest.size()));
      }
      case "numeric" -> rest.size() == 1 ? characters(DIGITS, rest) : number(rest);
      case "normal" -> normal(rest);
      case "zipf" -> ranked(rest);
      case "month" -> month(exactly(rest, 0, 1, "random:month"));
      case "telephone" -> {
        exactly(rest, 0, 0, "random:telephone");
        yield new Tag.Telephone(++salts);
      }
      case "timestamp" -> timestamp(exactly(rest, 2, 2, "random:timestamp"));
      default -> throw place.refused("<random> with " + KINDS, "'" + arguments.getFirst() + "'");
    };
  }

  private Tag characters(String symbols, List<String> lengths) {
    exactly(lengths, 1, 2, "random");
    long least = length(lengths.getFirst());
    long most = length(lengths.getLast());
    place.require(
        least <= most, "a shortest length that is not above the longest", least + " and " + most);
    return new Tag.Pattern(patterns.characters((int) least, (int) most, symbols));
  }

  private long length(String digits) {
    return place.number(digits, "a number of characters", 0, PatternReader.MOST_CHARACTERS);
  }

  private Tag number(List<String> arguments) {
    exactly(arguments, 2, 3, "random:numeric");
    long[] bounds = bounds(arguments, 0);
    DecimalFormat format = null;
    if (arguments.size() == 3) {
      try {
        format = new DecimalFormat(arguments.get(2), DecimalFormatSymbols.getInstance(Locale.ROOT));
      } catch (IllegalArgumentException _) {
        throw place.refused("a format of numbers such as 0000", "'" + arguments.get(2) + "'");
      }
    }
    return new Tag.WholeNumber(bounds[0], bounds[1], format, ++salts);
  }

  private long[] bounds(List<String> arguments, int at) {
    long first = place.number(arguments.get(at), "the smallest number", -MOST, MOST);
    long last = place.number(arguments.get(at + 1), "the largest number", -MOST, MOST);
    place.require(first <= last, "the smallest number first", first + " and " + last);
    return new long[] {first, last};
  }

  private Tag normal(List<String> arguments) {
    place.require(
        arguments.size() == 2 || arguments.size() == 4,
        "<random:normal:MEAN:DEVIATION> or <random:normal:MEAN:DEVIATION:MIN:MAX>",
        arguments.size() + " numbers");
    double mean = place.decimal(arguments.get(0), "a mean", -1e15, 1e15);
    double deviation = place.decimal(arguments.get(1), "a deviation from 0 up", 0, 1e15);
    long[] bounds = arguments.size() == 4 ? bounds(arguments, 2) : new long[] {-MOST, MOST};
    return new Tag.Normal(mean, deviation, bounds[0], bounds[1], ++salts);
  }

  private Tag ranked(List<String> arguments) {
    exactly(arguments, 2, 3, "random:zipf");
    long[] bounds = bounds(arguments, 0);
    return new Tag.Ranked(bounds[0], zipf(bounds[1] - bounds[0] + 1, arguments, 2), ++salts);
  }

  private Tag month(List<String> arguments) {
    int most =
        arguments.isEmpty()
            ? Integer.MAX_VALUE
            : (int) place.number(arguments.getFirst(), "a number of letters", 1, 9);
    List<String> months =
        MONTHS.stream().map(m -> m.substring(0, Math.min(most, m.length()))).toList();
    return new Tag.Pattern(patterns.weighted(months, months.stream().map(_ -> 1L).toList()));
  }

  private Tag timestamp(List<String> arguments) {
    long first = seconds(arguments.getFirst());
    long last = seconds(arguments.getLast());
    place.require(first <= last, "the earlier time first", String.join(" and ", arguments));
    return new Tag.Timestamp(first, last, ++salts);
  }

  private long seconds(String time) {
    try {
      return Tag.Timestamp.FORMAT.parse(time, Instant::from).getEpochSecond();
    } catch (DateTimeException _) {
      throw place.refused("a time such as 20260131235959Z", "'" + time + "'");
    }
  }

  private Tag encoded(String inner) throws IOException {
    String text = behindColon(inner);
    int colon = text.indexOf(':');
    Charset charset = colon < 0 ? null : charset(text.substring(0, colon).strip());
    place.require(inner.indexOf(':') > 0, "<base64:TEXT>", "<" + inner + ">");
    return new Tag.Encoded(
        tags(charset == null ? text : text.substring(colon + 1)),
        charset == null ? UTF_8 : charset);
  }

  private static @Nullable Charset charset(String name) {
    try {
      Charset charset = Charset.forName(name);
      return charset.canEncode() ? charset : null;
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  private Tag loop(List<String> arguments) {
    long[] bounds = bounds(arguments, 0);
    place.require(
        bounds[1] - bounds[0] < DirectoryTemplate.MOST_ENTRIES,
        "at most " + DirectoryTemplate.MOST_ENTRIES + " values",
        String.join(" to ", arguments));
    return repeated(new Tag.Loop(bounds[0], bounds[1]));
  }

  private <T extends Tag.Repeated> T repeated(T tag) {
    if (repeated != null) {
      throw place.problem("a value can have only one tag <loop> or <member>");
    }
    repeated = tag;
    return tag;
  }

  private Tag member(List<String> arguments) {
    EntryTemplate wanted = templates.apply(arguments.getFirst());
    if (wanted == null) {
      throw place.problem("there is no template '" + arguments.getFirst() + "' for <member>");
    }
    if (arguments.size() == 2 && "all".equalsIgnoreCase(arguments.get(1))) {
      return repeated(new Tag.Member(wanted, Tag.Member.ALL, 0, null, 0));
    }
    long least = arguments.size() == 1 ? 1 : count(arguments.get(1));
    long most = arguments.size() < 3 ? least : count(arguments.get(2));
    place.require(least <= most, "the smaller number first", least + " and " + most);
    Zipf zipf = null;
    if (arguments.size() > 3) {
      place.require(
          "zipf".equalsIgnoreCase(arguments.get(3)),
          "zipf behind the numbers of members",
          "'" + arguments.get(3) + "'");
      zipf = zipf(most - least + 1, arguments, 4);
    }
    Tag.Member member = repeated(new Tag.Member(wanted, least, most, zipf, ++salts));
    members.add(new PlacedMember(place, member));
    return member;
  }

  private long count(String digits) {
    return place.number(digits, "a number of members", 0, DirectoryTemplate.MOST_ENTRIES);
  }
}
