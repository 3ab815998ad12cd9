package org.nyala.core.access.rule;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

class RulesErrorsTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final String SCOPES =
      "'group', 'entry', 'names', 'subtree', 'below', 'directly below'";

  private static void assertFault(String text, String expected) {
    assertThatThrownBy(() -> RulesParser.parse("r", text.getBytes(UTF_8), SCHEMA))
        .isInstanceOf(InvalidRulesException.class)
        .hasMessageContaining(expected)
        .hasMessageStartingWith("r:");
  }

  static Stream<Arguments> statements() {
    return Stream.of(
        arguments(
            "\n\n tu all",
            "r:3:2: found 'tu', expected one of 'zone', 'people', 'to', 'delegate', 'limit'"),
        arguments("\"x\"", "r:1:1: found \"x\", expected one of 'zone'"),
        arguments(
            "peeple a = b",
            "expected one of 'zone', 'people', 'to', 'delegate', 'limit', did you mean 'people'?"),
        arguments("zone", "r:1:5: found the end of the line, expected a name"),
        arguments("zone a", "r:1:7: found the end of the line, expected '='"),
        arguments("zone from = ::1", "r:1:6: found 'from', expected a name of letters, digits"),
        arguments("zone entries = ::1", "that is no word of the language"),
        arguments("people a = entry \"\"\nzone a = ::1", "r:2:6: found 'a', which is declared"),
        arguments("people a = entry \"\"\npeople a = entry \"\"", "r:2:8: found 'a', which is"),
        arguments("zone a = ::1\nzone a = ::1", "r:2:6: found 'a', which is declared already"),
        arguments("zone a/b = ::1", "r:1:6: found 'a/b', expected a name of letters"),
        arguments("zone a = ::1\npeople a = x", "r:2:8: found 'a', which is declared already"),
        arguments(
            "zone ab = ::1\nzone bb = abc",
            "r:2:11: found 'abc', expected a zone, a network or 'ldapi', did you mean 'ab'?"),
        arguments("zone a = a", "r:1:10: found 'a', expected a zone, a network or 'ldapi'"),
        arguments("zone a = 192.0.2.1/24", "bits after the first 24, did you mean 192.0.2.0/24?"),
        arguments("zone a = 192.0.2.0/33", "expected a number of bits up to 32"),
        arguments("zone a = 192.0.2.0/", "expected a number of bits up to 32"),
        arguments("zone a = 192.0.2", "expected an address"),
        arguments("zone a = 192.0.02.1", "expected an address"),
        arguments("zone a = 2001::db8::", "expected an address"),
        arguments("zone a = ::1 ::2", "r:1:14: found '::2', expected ',' or the end of the line"),
        arguments("zone a = ::1,", "r:1:14: found the end of the line, expected a zone"),
        arguments("people a = b", "r:1:12: found 'b', expected " + SCOPES + " or people declared"),
        arguments("people a = grup \"cn=a\"", ", did you mean 'group'?"),
        arguments("people a = group cn=a", "r:1:18: found 'cn', expected a name in quotes"),
        arguments("people a = group \"cn={u}\"", "found the capture {u}, expected a name without"),
        arguments("people a = group \"cn={*}\"", "{*} in the name of a group, expected one name"),
        arguments("people a = names \"cn={u}\"", "found the capture {u}, expected a name without"),
        arguments("delegate subtree \"cn={*}\" to directory", "found {*} in \"cn={*}\", expected"),
        arguments("people a = group \"cn=a\" x", "found 'x', expected ',' or the end of the line"),
        arguments("delegate", "r:1:9: found the end of the line, expected 'subtree'"),
        arguments("delegate subtree \"cn=a\" x", "found 'x', expected 'to'"),
        arguments("delegate subtree \"cn=a\" to dir", "found 'dir', expected 'directory'"),
        arguments("delegate subtree \"cn=a\" to directory x", "expected the end of the line"),
        arguments("limit users", "r:1:12: found the end of the line, expected one of 'entries'"),
        arguments("limit users entres 5", "'entries', 'seconds', 'lookThrough', 'pageSize'"),
        arguments("limit users entres 5", ", did you mean 'entries'?"),
        arguments("limit users entries 5, entries 6", "r:1:24: found 'entries', expected one of"),
        arguments("limit users entries 0", "expected 'unlimited' or a number from 1 to 2147483646"),
        arguments("limit users entries 2147483647", "r:1:21: found '2147483647', expected"),
        arguments("limit users entries 99999999999", "expected 'unlimited' or a number"),
        arguments("limit users entries -1", "expected 'unlimited' or a number"),
        arguments("limit users entries 5 seconds 6", "found 'seconds', expected ',' or the end"),
        arguments("limit self entries 5", "r:1:7: found a condition about an entry, expected"),
        arguments("limit listed in owner entries 5", "expected conditions about the user alone"));
  }

  static Stream<Arguments> targets() {
    String clause = "\n users may read";
    return Stream.of(
        arguments(
            "to" + clause, "r:1:3: found the end of the line, expected one of 'all', 'entry'"),
        arguments("to al" + clause, "expected one of 'all', 'entry', 'names', 'subtree', 'below',"),
        arguments("to subtre \"\"" + clause, ", did you mean 'subtree'?"),
        arguments("to children \"cn=a\"" + clause, "expected 'below' for all entries below a name"),
        arguments("to directly \"cn=a\"" + clause, "r:1:13: found \"cn=a\", expected 'below'"),
        arguments("to entry cn" + clause, "r:1:10: found 'cn', expected a name in quotes"),
        arguments(
            "to entry \"cn\"" + clause, "found \"cn\", not a name: expected an attribute type"),
        arguments("to entry \"nix=a\"" + clause, "not a name: unknown attribute type 'nix'"),
        arguments("to entry \"cn={u}\"" + clause, "expected 'names' before it"),
        arguments("to entry \"cn={*}\"" + clause, "found captures or {*} in the name of one entry"),
        arguments("to names \"cn=u\"" + clause, "which 'entry' is for"),
        arguments("to names \"cn={*}x\"" + clause, "a capture has to be the only value of its RDN"),
        arguments("to names \"cn= {*}\"" + clause, "has no spaces around = and no quotes"),
        arguments("to names \"cn={u}x\"" + clause, "a capture has to be the only value of its RDN"),
        arguments("to names \"cn={u}+sn={v}\"" + clause, "which 'cn={u}+sn={v}' does not show"),
        arguments("to names \"cn={u},sn={u}\"" + clause, "the capture {u} is there twice"),
        arguments("to names \"cn= {u}\"" + clause, "has no spaces around = and no quotes"),
        arguments("to where cn=a" + clause, "r:1:10: found 'cn', expected a filter in parentheses"),
        arguments("to where (cn=a" + clause, "r:1:10: found a filter without end, expected ')'"),
        arguments("to where (cn)" + clause, "r:1:10: found '(cn)', not a filter: expected ="),
        arguments(
            "to where (telefoneNumber=a)" + clause,
            "found 'telefoneNumber', expected an attribute of the schema, did you mean "
                + "'telephoneNumber'?"),
        arguments("to where (cn:caseMatch:=a)" + clause, "expected a matching rule of the schema"),
        arguments("to where (uidNumber=a)" + clause, "which is never true: 'uidNumber' cannot be"),
        arguments("to where (uidNumber>=a)" + clause, "which is never true"),
        arguments("to where (cn>=a)" + clause, "which is never true"),
        arguments("to where (x121Address=*a*)" + clause, "which is never true"),
        arguments("to where (mail=\u00e9)" + clause, "which is never true"),
        arguments("to where (!(member=a*))" + clause, "which is never true"),
        arguments("to where (!(jpegPhoto=a))" + clause, "which is never true"),
        arguments("to where (|(cn;x=a))" + clause, "found the unknown option 'x' of 'cn;x'"),
        arguments("to attributes" + clause, "r:1:14: found the end of the line, expected an attri"),
        arguments(
            "to attributes cn, mails" + clause,
            "r:1:19: found 'mails', expected an attribute of the schema, did you mean 'mail'?"),
        arguments("to attributes cn;x" + clause, "found the unknown option 'x' of 'cn;x'"),
        arguments(
            "to attributes @persn" + clause,
            "expected an object class of the schema, did you mean 'person'?"),
        arguments("to attributes all cn" + clause, "r:1:19: found 'cn', expected 'but'"),
        arguments("to attributes cn sn" + clause, "found 'sn', expected ',', 'value' or the end"),
        arguments("to all all" + clause, "expected 'where', 'attributes' or the end of the line"),
        arguments("to where (cn=*) all" + clause, "expected 'attributes' or the end of the line"),
        arguments("to attributes cn, sn value \"a\"" + clause, "goes with exactly one attribute"),
        arguments("to attributes entry value \"a\"" + clause, "goes with exactly one attribute"),
        arguments("to attributes cn value a" + clause, "found 'a', expected a value, or 'entry'"),
        arguments("to attributes cn value below \"cn=a\"" + clause, "which has no names"),
        arguments("to attributes cn value \"a\" x" + clause, "found 'x', expected the end of"),
        arguments("to attributes uidNumber value \"a\"" + clause, "no value of 'uidNumber' equals"),
        arguments("to attributes member value below \"cn={u}\"" + clause, "a name without any"),
        arguments("to all", "r:1:7: found the end of the file, expected a clause such as"),
        arguments("to all\nto all" + clause, "r:2:1: found 'to', expected a clause such as"));
  }

  static Stream<Arguments> clauses() {
    return Stream.of(
        arguments("user may read", "r:2:2: found 'user', expected the name of declared people, or"),
        arguments("user may read", ", did you mean 'users'?"),
        arguments("may read", "r:2:2: found 'may', expected the name of declared people"),
        arguments("users mai read", "'by', 'may', 'plus', 'minus', 'continue', 'break'"),
        arguments("users all may read", "or one of 'anonymous', 'users', 'self', 'ancestor'"),
        arguments("x may read", "or one of 'all', 'others', 'anonymous', 'users', 'self'"),
        arguments("users mai read", ", did you mean 'may'?"),
        arguments("users", "r:2:7: found the end of the line, expected another condition, or one"),
        arguments(
            "users \"cn=a\" may read", "r:2:8: found \"cn=a\", expected the name of declared"),
        arguments("users may", "r:2:11: found the end of the line, expected one of 'nothing'"),
        arguments("users may reed", "r:2:12: found 'reed', expected one of 'nothing', 'disclose'"),
        arguments("users may reed", ", did you mean 'read'?"),
        arguments("users may read write", "r:2:17: found 'write', expected ',', 'and' or the end"),
        arguments(
            "users may read and", "r:2:20: found the end of the line, expected 'continue' or"),
        arguments("users may read and brake", ", did you mean 'break'?"),
        arguments("users may write value", "found the end of the line, expected 'self'"),
        arguments("users break x", "r:2:14: found 'x', expected ',', 'and' or the end of the line"),
        arguments("self above may read", "r:2:7: found 'above', expected the name of declared"),
        arguments("ancestor may read", "found 'may', expected a number of levels from 1 to 1000"),
        arguments("descendant 0 may read", "found '0', expected a number of levels from 1"),
        arguments("entry x may read", "r:2:8: found 'x', expected a name in quotes"),
        arguments(
            "entry \"uid={u}\" may read", "the capture {u}, which the target of the rule has"),
        arguments(
            "entry \"dc={c}\" may read",
            "found the capture {c} as a value of 'dc', which compares differently from 'cn'"),
        arguments(
            "entry \"uid={*}\" may read", "found {*} in the name of one entry, expected 'names'"),
        arguments("names \"cn={c}\" may read", "found a name without {*}, which 'entry' is for"),
        arguments(
            "group \"cn={*}\" may read", "found {*} in the name of a group, expected one name"),
        arguments("children \"cn=a\" may read", "or 'directly below' for those of the next level"),
        arguments("group \"cn=a\" class x may read", "expected an object class of the schema"),
        arguments(
            "group \"cn=a\" class person may read", "r:2:21: found the class 'person', which"),
        arguments("group \"cn=a\" member cn may read", "an attribute whose values are names"),
        arguments("group \"cn=a\" member x may read", "expected an attribute of the schema"),
        arguments("listed owner may read", "r:2:9: found 'owner', expected 'in'"),
        arguments("listed in mail may read", "found 'mail', expected an attribute whose values"),
        arguments("from \"x\" may read", "found \"x\", expected a zone, a network or 'ldapi'"),
        arguments("over strong may read", "found 'strong', expected a number of bits from 1 to"),
        arguments("over tls may read", "found 'may', expected a number of bits"),
        arguments("by LDAP may read", "found 'LDAP', expected one of simple, EXTERNAL, PLAIN"),
        arguments("by GSAPI may read", ", did you mean 'GSSAPI'?"));
  }

  static Stream<Arguments> characters() {
    return Stream.of(
        arguments("to entry \"cn=a\n", "r:1:10: found a quote, expected another one in the same"),
        arguments("to entry \"cn=a\"\"", "r:1:10: found a quote"),
        arguments("to é", "r:1:4: found 'é', which needs quotes"),
        arguments("to \u0007", "r:1:4: found '?', which needs quotes"),
        arguments("to \ud83d\ude00 ", "found '\ud83d\ude00', which needs quotes"),
        arguments("to where (\u0007cn)", "found '(?cn)', not a filter: expected = at character"),
        arguments("to where (cn=" + "a".repeat(99) + "\\x)", "aaa...', not a filter: expected two"),
        arguments("to entry \"cn=<\u0007\"", "before '<?'"),
        arguments("to entry \"cn=\ud83d\ude00\" x", "r:1:17: found 'x'"),
        arguments("to {u}", "r:1:4: found '{', which needs quotes"),
        arguments("to 'all'", "r:1:4: found ''', which needs quotes"),
        arguments("to all \\ x", "r:1:8: found '\\', which is only allowed at the end of a line"),
        arguments("x".repeat(100), "r:1:1: found '" + "x".repeat(60) + "...', expected"));
  }

  @ParameterizedTest
  @MethodSource({"statements", "targets", "characters"})
  void shouldSayWhatIsWrong(String text, String expected) {
    assertFault(text, expected);
  }

  @ParameterizedTest
  @MethodSource("clauses")
  void shouldSayWhatIsWrongWithAClause(String clause, String expected) {
    assertFault("to names \"cn={c},ou={o}\"\n " + clause + "\nto all\n all may read", expected);
  }

  @Test
  void shouldSayWhichLineIsNotUtf8() {
    assertThatThrownBy(() -> RulesParser.parse("r", "# a\n# b\n# é".getBytes(ISO_8859_1), SCHEMA))
        .hasMessage("r:3:1: found bytes that are not UTF-8");
  }

  @Test
  void shouldKeepTheSourceOfTheFault() {
    assertThatThrownBy(() -> RulesParser.parse("r", "\n  x".getBytes(UTF_8), SCHEMA))
        .isInstanceOfSatisfying(
            InvalidRulesException.class,
            fault -> assertThat(fault.source()).isEqualTo(new Source("r", 2, 3)))
        .satisfies(fault -> assertThat(fault.getStackTrace()).isEmpty());
  }

  @Test
  void shouldBoundEverything() {
    String rule = "to all\n all may read\n";
    assertFault("#".repeat(RulesParser.MAXIMUM_BYTES + 1), "r:1:1: 4194305 bytes, at most 4194304");
    assertFault(
        rule.repeat(RulesParser.MAXIMUM_STATEMENTS + 1), "r:20001:1: found more than 10000 rules");
    assertFault("limit all entries 1\n".repeat(10_001), "r:10001:1: found more than 10000 rules");
    assertFault(
        "to all\n" + " users may read\n".repeat(RulesParser.MAXIMUM_CLAUSES + 1),
        "r:502:2: found more than 500 clauses");
    assertFault("to all\n" + "users ".repeat(17) + "may read", "found more than 16 conditions");
    assertFault("to attributes cn" + ", cn".repeat(1_000), "found more than 1000 attributes");
    assertFault("zone a = ::1" + ", ::1".repeat(1_000), "found more than 1000 networks");
    assertFault("people a = entry \"\"" + ", entry \"\"".repeat(1_000), "more than 1000 members");
    assertFault(names(1_001), "r:1001:6: found more than 1000 zones and people");
    assertFault("to where " + "(!".repeat(33), "more than 32 parentheses inside each other");
    assertFault("to where (cn=" + "a".repeat(8_190) + ")", "of more than 8192 characters");
    assertFault("to entry \"cn=" + "a".repeat(8_190) + "\"", "at most 8192 are allowed");
    assertFault("zone " + "a".repeat(65) + " = ::1", "expected a name of letters");
  }

  private static String names(int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append("zone z").append(i).append(" = ::1\n");
    }
    return text.toString();
  }

  @Test
  void shouldAcceptAsMuchAsTheBounds() throws InvalidRulesException {
    String text =
        "to where "
            + "(!".repeat(31)
            + "(cn=a)"
            + ")".repeat(31)
            + " attributes cn"
            + ", cn".repeat(999)
            + '\n'
            + ("users " + "over 1 ".repeat(15) + "may read\n").repeat(RulesParser.MAXIMUM_CLAUSES);

    AccessRules rules = RulesParser.parse("r", text.getBytes(UTF_8), SCHEMA);

    assertThat(((Rule) rules.steps().getFirst()).clauses()).hasSize(500);
  }
}
