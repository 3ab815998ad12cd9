package org.nyala.core.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.message.FilterNode;

class FilterParserTest {
  private static void assertParsed(String text, FilterNode expected) {
    assertThat(FilterParser.parse(text)).usingRecursiveComparison().isEqualTo(expected);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @Test
  void shouldReadItems() {
    assertParsed("(cn=Ada)", new FilterNode.Equality("cn", bytes("Ada")));
    assertParsed("cn=Ada", new FilterNode.Equality("cn", bytes("Ada")));
    assertParsed("(cn;lang-en=)", new FilterNode.Equality("cn;lang-en", bytes("")));
    assertParsed("(cn=a=b<c>d:e~)", new FilterNode.Equality("cn", bytes("a=b<c>d:e~")));
    assertParsed("(n>=5)", new FilterNode.GreaterOrEqual("n", bytes("5")));
    assertParsed("(n<=5)", new FilterNode.LessOrEqual("n", bytes("5")));
    assertParsed("(cn~=Ada)", new FilterNode.Approximate("cn", bytes("Ada")));
    assertParsed("(cn=*)", new FilterNode.Present("cn"));
    assertParsed("(cn=zoë \\28\\2a\\5C\\29)", new FilterNode.Equality("cn", bytes("zoë (*\\)")));
  }

  @Test
  void shouldReadSubstrings() {
    assertParsed("(cn=a*)", new FilterNode.Substrings("cn", bytes("a"), List.of(), null));
    assertParsed("(cn=*a)", new FilterNode.Substrings("cn", null, List.of(), bytes("a")));
    assertParsed("(cn=*a*)", new FilterNode.Substrings("cn", null, List.of(bytes("a")), null));
    assertParsed(
        "(cn=a*b*c*d)",
        new FilterNode.Substrings("cn", bytes("a"), List.of(bytes("b"), bytes("c")), bytes("d")));
  }

  @Test
  void shouldReadSets() {
    FilterNode a = new FilterNode.Equality("a", bytes("1"));
    FilterNode b = new FilterNode.Equality("b", bytes("2"));
    assertParsed("(&(a=1)(b=2))", new FilterNode.And(List.of(a, b)));
    assertParsed("(|(a=1)(!(b=2)))", new FilterNode.Or(List.of(a, new FilterNode.Not(b))));
    assertParsed("(&)", new FilterNode.And(List.of()));
    assertParsed("(|)", new FilterNode.Or(List.of()));
    assertParsed("&(a=1)", new FilterNode.And(List.of(a)));
  }

  @Test
  void shouldReadExtensibleMatches() {
    assertParsed("(cn:=x)", new FilterNode.Extensible(null, "cn", bytes("x"), false));
    assertParsed("(cn:rule:=x)", new FilterNode.Extensible("rule", "cn", bytes("x"), false));
    assertParsed("(cn:dn:1.2.3:=x)", new FilterNode.Extensible("1.2.3", "cn", bytes("x"), true));
    assertParsed("(cn:dn:=x)", new FilterNode.Extensible(null, "cn", bytes("x"), true));
    assertParsed("(:dn:rule:=x)", new FilterNode.Extensible("rule", null, bytes("x"), true));
    assertParsed("(:rule:=x)", new FilterNode.Extensible("rule", null, bytes("x"), false));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "(cn=a|the filter ends too early",
        "(cn=a))|expected the end",
        "(cn)|expected =",
        "(=a)|expected an attribute",
        "(cn>a)|expected =",
        "(cn=\\4)|expected two hexadecimal digits after \\",
        "(!)|expected (",
        "(!(a=1)(b=2))|expected )",
        "(:=x)|expected an attribute or a matching rule",
        "(cn:a:b:=x)|expected :=",
        "(&(a=1)b)|expected )",
      })
  void shouldSayWhereAFilterIsWrong(String text, String problem) {
    assertThatThrownBy(() -> FilterParser.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("'" + text + "' is not a filter: ")
        .hasMessageContaining(problem);
  }

  @Test
  void shouldBoundTheDepth() {
    String deep = "(!".repeat(63) + "(a=1)" + ")".repeat(63);
    assertThat(FilterParser.parse(deep)).isNotNull();
    assertThatThrownBy(() -> FilterParser.parse("(!" + deep + ")"))
        .hasMessageContaining("more than 64 filters inside each other");
  }

  @ParameterizedTest
  @ValueSource(strings = {"(&(cn=a*b)(|(n>=1)(:dn:rule:=\\2a))(!(x~=y)))", "(cn=*a*b*)"})
  void shouldRefuseEveryPrefixWithItsOwnError(String text) {
    for (int end = 1; end < text.length(); end++) {
      String prefix = text.substring(0, end);
      assertThatThrownBy(() -> FilterParser.parse(prefix))
          .as(prefix)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
