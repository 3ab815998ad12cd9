package org.nyala.lmdb.explain;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;

/**
 * Tests of filters as text. Two tests with the same text ask the same: bytes other than plain text
 * are shown as hexadecimal digits behind backslashes, and plain text has none of these.
 */
final class TermText {
  private TermText() {}

  /** Returns the text of a test, with its value normalised. */
  static String of(CompiledFilter test) {
    return switch (test) {
      case CompiledFilter.Constant constant -> constant.value().name().toLowerCase(Locale.ROOT);
      case CompiledFilter.And and -> all("(&", and.nodes());
      case CompiledFilter.Or or -> all("(|", or.nodes());
      case CompiledFilter.Not not -> "(!" + of(not.node()) + ")";
      case CompiledFilter.Presence presence -> "(" + presence.attribute() + "=*)";
      case CompiledFilter.ValueItem value ->
          item(
              value.attribute(),
              switch (value.comparison()) {
                case EQUALITY -> "=";
                case GREATER_OR_EQUAL -> ">=";
                case LESS_OR_EQUAL -> "<=";
              },
              value.assertion());
      case CompiledFilter.SubstringsItem pieces -> substrings(pieces);
      case CompiledFilter.ExtensibleItem extensible ->
          "("
              + (extensible.attribute() == null ? "" : extensible.attribute())
              + (extensible.dnAttributes() ? ":dn" : "")
              + ":"
              + extensible.rule().oid()
              + ":="
              + value(extensible.assertion())
              + ")";
      case CompiledFilter.EntryDnItem name -> "(entryDN=" + name.dn() + ")";
      case CompiledFilter.HasSubordinatesItem below -> "(hasSubordinates=" + below.expected() + ")";
      case CompiledFilter.NumberItem number ->
          "(" + number.number() + " in " + number.least() + ".." + number.greatest() + ")";
      case CompiledFilter.ContextCsnItem csn -> contextCsn(csn);
      case CompiledFilter.MemberOfItem member ->
          "(memberOf" + (member.isTransitive() ? ":chain:" : "") + "=" + group(member) + ")";
      case CompiledFilter.ChainItem chain ->
          "(" + chain.attribute() + ":chain:=" + chain.name() + ")";
      case CompiledFilter.EntryIds ids -> "(one of " + ids.ids().length + " entries)";
    };
  }

  private static String all(String operator, List<CompiledFilter> nodes) {
    StringBuilder text = new StringBuilder(operator);
    nodes.forEach(node -> text.append(of(node)));
    return text.append(')').toString();
  }

  private static String contextCsn(CompiledFilter.ContextCsnItem test) {
    String operator =
        switch (test.comparison()) {
          case null -> "=*";
          case EQUALITY -> "=";
          case GREATER_OR_EQUAL -> ">=";
          case LESS_OR_EQUAL -> "<=";
        };
    return "(contextCSN" + operator + value(test.assertion()) + ")";
  }

  private static Object group(CompiledFilter.MemberOfItem member) {
    return member.group() == null ? "*" : member.group();
  }

  private static String item(AttributeSelector attribute, String operator, byte[] value) {
    return "(" + attribute + operator + value(value) + ")";
  }

  private static String substrings(CompiledFilter.SubstringsItem pieces) {
    StringBuilder text = new StringBuilder("(").append(pieces.attribute()).append('=');
    text.append(optional(pieces.initial())).append('*');
    for (byte[] piece : pieces.any()) {
      text.append(value(piece)).append('*');
    }
    return text.append(optional(pieces.last())).append(')').toString();
  }

  private static String optional(byte @Nullable [] value) {
    return value == null ? "" : value(value);
  }

  private static String value(byte[] value) {
    String text = new String(value, UTF_8);
    boolean isPlain = text.chars().noneMatch(c -> c < ' ' || c == 0x7f || c == 0xfffd || c == '\\');
    return isPlain ? text : HexFormat.of().withPrefix("\\").formatHex(value);
  }
}
