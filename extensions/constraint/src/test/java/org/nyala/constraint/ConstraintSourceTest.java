package org.nyala.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.extension.Extension;
import org.nyala.extension.ExtensionSource;

class ConstraintSourceTest {
  private static void refused(Map<String, Object> rule, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MapSection.rule(List.of(rule)))
        .withMessageContaining(message);
  }

  private static Map<String, Object> on(String attribute, Object... keys) {
    Map<String, Object> rule = new HashMap<>();
    rule.put("attributes", List.of(attribute));
    for (int i = 0; i < keys.length; i += 2) {
      rule.put((String) keys[i], keys[i + 1]);
    }
    return rule;
  }

  @Test
  void shouldBeFoundByItsName() {
    assertThat(ServiceLoader.load(ExtensionSource.class))
        .singleElement()
        .satisfies(
            source -> {
              assertThat(source.name()).isEqualTo("constraint");
              assertThat(source.builtWith()).isEqualTo(ExtensionSource.INTERFACE);
              assertThat(source.version()).isEqualTo("1.0");
            });
  }

  @Test
  void shouldDoNothingWithoutRules() {
    assertThat(new ConstraintSource().read(new MapSection(Map.of()))).isEmpty();
  }

  @Test
  void shouldKnowAllKeysOfARuleThatHasSome() {
    MapSection rule = new MapSection(on("mail", "regex", "@"));
    MapSection whole = new MapSection(Map.of("rules", List.of(rule)));
    try (Extension extension = new ConstraintSource().read(whole).orElseThrow().open()) {
      assertThat(extension.name()).isEqualTo("constraint");
    }
    assertThat(rule.known())
        .containsExactlyInAnyOrder(
            "attributes",
            "regex",
            "forbiddenRegex",
            "maximumBytes",
            "maximumValues",
            "values",
            "listAttributes",
            "listBase",
            "listScope",
            "listFilter",
            "base",
            "scope",
            "filter");
  }

  @Test
  void shouldRefuseRulesThatSayNothing() {
    refused(on("mail"), "attributes: expected one of regex, forbiddenRegex");
    refused(Map.of("maximumBytes", 3), "attributes: expected the attributes");
    refused(on("mail", "regex", "@", "listBase", "dc=x"), "listAttributes: expected");
    refused(on("mail", "regex", "@", "scope", "one"), "scope: expected a base");
    refused(on("mail", "listAttributes", List.of("cn"), "listScope", "one"), "expected a listBase");
  }

  @Test
  void shouldRefuseWhatTheSchemaDoesNotHave() {
    refused(on("male", "maximumValues", 1), "attributes: the schema has no attribute type male");
    refused(on("mail", "listAttributes", List.of("male")), "listAttributes: the schema has no");
    refused(on("entryUUID", "maximumValues", 1), "operational");
    refused(on("jpegPhoto", "values", List.of("x")), "jpegPhoto has no equality rule");
    refused(on("mail", "listAttributes", List.of("jpegPhoto")), "jpegPhoto has no equality rule");
    refused(on("member", "values", List.of("no name")), "'no name' is no value of member");
    refused(on("mail", "maximumValues", 1, "base", "no name"), "base: expected a DN");
    refused(on("mail", "maximumValues", 1, "filter", "(cn=x"), "filter: ");
    refused(on("mail", "maximumValues", 1, "filter", "(male=x)"), "matches nothing");
    refused(on("mail", "maximumValues", 1, "filter", "(memberOf=cn=x)"), "memberOf is computed");
    refused(
        on("mail", "maximumValues", 1, "filter", "(!(hasSubordinates=TRUE))"),
        "filter: hasSubordinates is computed");
    refused(on("manager", "listAttributes", List.of("entryDN")), "entryDN is computed");
    Map<String, Object> two = on("mail", "values", List.of("x"));
    two.put("attributes", List.of("mail", "member"));
    refused(two, "the same equality rule, found member");
  }

  @Test
  void shouldBoundTheNumberOfRules() {
    Map<String, Object> rule = on("mail", "maximumValues", 1);
    int most = ConstraintSource.MAXIMUM_RULES;
    assertThat(MapSection.rule(Collections.nCopies(most, rule))).isNotNull();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MapSection.rule(Collections.nCopies(most + 1, rule)))
        .withMessageContaining("rules: expected at most 200");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "(a mistake",
        "a) mistake",
        "[a mistake",
        "a** mistake",
        "(a)\\1 mistake",
        "a{,8} begins",
        "a{1001} mistake",
        "\\p{L mistake",
        "[[:alpha mistake",
        "[[.a.]] supported",
        "[[=a=]] supported",
        "[a\\.b] twice",
        "\\Qa\\E allowed",
        "((((a{1000}){1000}){1000}){1000}) repeats",
        "(((){1000}){1000}){1000} repeats",
        "((^{1000}){1000}){1000} repeats",
        "(|{1000}){1000}b{1000}c{1000} repeats"
      })
  void shouldRefuseExpressionsThatAreWrongOrLarge(String expression, String message) {
    refused(on("mail", "regex", expression), message);
    refused(on("mail", "forbiddenRegex", expression), message);
  }

  @Test
  void shouldBoundTheLengthOfExpressions() {
    String longest = "a".repeat(Expression.MAXIMUM_CHARS);
    assertThat(MapSection.rule(List.of(on("mail", "regex", longest)))).isNotNull();
    refused(on("mail", "regex", longest + "a"), "at most 1024 characters");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "^[[:alnum:]]+@example.com$ ann@example.com true",
        "^[[:alnum:]]+@example.com$ ann-b@example.com false",
        "example ann@example.com true",
        "EXAMPLE ann@example.com false",
        "(?i)EXAMPLE ann@example.com true",
        "^[]a]+$ a]a true",
        "^[^]a]+$ a]a false",
        "^[\\\\]$ \\ true",
        "^(a{2}){3}$ aaaaaa true",
        "^(a{2}){3}$ aaaaa false",
        "^a{x$ a{x true",
        "^[0-9]{2,}$ 123 true",
        "^\\p{Lu}+$ ÄÖ true",
        "^..$ äö true"
      })
  void shouldFindExpressions(String expression, String value, boolean isFound) {
    assertThat(
            Expression.of(expression)
                .isFoundIn(value.getBytes(java.nio.charset.StandardCharsets.UTF_8), () -> true))
        .isEqualTo(isFound);
  }
}
