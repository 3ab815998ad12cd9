package org.nyala.core.sasl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

final class NameRuleTest {
  private static final Schema SCHEMA = SchemaLoader.standard();

  private static final Set<SaslMechanism> ALL = EnumSet.allOf(SaslMechanism.class);

  private static NameRule.Target target(NameRule rule, String name) {
    return rule.target(SaslMechanism.PLAIN, name);
  }

  @Test
  void shouldNameUsersOfKerberos() throws Exception {
    assertThat(NameRule.ofKerberos("ann@EXAMPLE.COM"))
        .isEqualTo("uid=ann,cn=EXAMPLE.COM,cn=gssapi,cn=auth");
    for (String name : List.of("a,cn=b+c=d", "host/a\\=b", " \"#;<>", "\u00e4\0x")) {
      Dn dn = DnParser.parse(SCHEMA, NameRule.ofKerberos(name + "@X,Y=Z"));
      assertThat(dn.rdnCount()).as(name).isEqualTo(4);
    }
  }

  @Test
  void shouldMakeNamesAndFilters() {
    NamePattern pattern = new NamePattern("(.+)@(.+)\\.com");
    NameRule naming = NameRule.naming(ALL, pattern, "uid=$1,dc=$2,dc=$$,cn=$0");
    assertThat(target(naming, "ann@example.com"))
        .isEqualTo(
            new NameRule.Target(
                "uid=ann,dc=example,dc=$,cn=ann@example.com", false, "", false, ""));
    assertThat(target(naming, "ann@example.org")).isNull();
    NameRule given = NameRule.naming(Set.of(SaslMechanism.EXTERNAL), new NamePattern("x"), "cn=a");
    assertThat(given.target(SaslMechanism.EXTERNAL, "x"))
        .isEqualTo(new NameRule.Target("cn=a", true, "", false, ""));
    assertThat(target(given, "x")).isNull();
    NameRule searching = NameRule.searching(ALL, pattern, "dc=x", true, "(&(uid=$1)(ou=$2))");
    assertThat(target(searching, "ann@example.com"))
        .isEqualTo(new NameRule.Target(null, false, "dc=x", true, "(&(uid=ann)(ou=example))"));
  }

  /** Whatever a client sends, it is one value of the filter and of the name. */
  @Test
  void shouldKeepNamesInTheirPlace() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    String alphabet = "*()\\\0ab =,+;<>#\"/&|!$1\u00e4\u20ac\u0001";
    NamePattern any = new NamePattern("(?s)(.+)");
    NameRule searching = NameRule.searching(ALL, any, "", false, "(uid=$1)");
    NameRule naming = NameRule.naming(ALL, any, "cn=$1,dc=example,dc=com");
    for (int i = 0; i < 5_000; i++) {
      StringBuilder name = new StringBuilder();
      for (int length = 1 + random.nextInt(8); length > 0; length--) {
        name.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      String sent = name.toString();
      FilterNode filter = FilterParser.parse(target(searching, sent).filter());
      assertThat(filter).as("seed %d: %s", seed, sent).isInstanceOf(FilterNode.Equality.class);
      assertThat(((FilterNode.Equality) filter).value())
          .as("seed %d: %s", seed, sent)
          .isEqualTo(sent.getBytes(UTF_8));
      Dn dn = DnParser.parse(SCHEMA, target(naming, sent).dn());
      assertThat(dn.rdnCount()).as("seed %d: %s", seed, sent).isEqualTo(3);
    }
  }

  /** An expression that takes exponential time matches nothing. */
  @Test
  void shouldBoundTheWorkOfExpressions() {
    NameRule rule = NameRule.naming(ALL, new NamePattern("(a+)+b"), "cn=$1");
    assertThat(target(rule, "aaab")).isNotNull();
    assertThat(target(rule, "a".repeat(1000)).isNobody()).isTrue();
    assertThat(
            target(NameRule.naming(ALL, new NamePattern("(a|b|ab)*"), "cn=$0"), "ab".repeat(500)))
        .isNotNull();
  }

  @Test
  void shouldMakeNothingOfNothing() {
    NameRule naming = NameRule.naming(ALL, new NamePattern("(.*)@x"), "uid=$1");
    assertThat(target(naming, "@x").isNobody()).isTrue();
    NameRule searching = NameRule.searching(ALL, new NamePattern("(.*)@x"), "", false, "(cn=$1*)");
    assertThat(target(searching, "@x").isNobody()).isTrue();
    for (String filter : List.of("($1=x)", "(cn=x)($1=y)", "$1", "(&$1(cn=x))")) {
      assertThatThrownBy(() -> NameRule.searching(ALL, new NamePattern("(.+)"), "", false, filter))
          .hasMessageContaining("values only");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"$2", "$", "a$x", "$9"})
  void shouldRefuseGroupsThatDoNotExist(String template) {
    NamePattern pattern = new NamePattern("(.)");
    assertThatThrownBy(() -> NameRule.naming(ALL, pattern, template))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("one of 1 groups");
    assertThatThrownBy(() -> new NamePattern("(")).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "a|b", "|b|", "||", "||c", "a|b|c|d", "|b|c|"})
  void shouldRefuseMalformedMessagesOfPlain(String message) {
    byte[] sent = message.replace('|', '\0').getBytes(UTF_8);
    assertThatThrownBy(() -> PlainMessage.read(sent)).isInstanceOf(MalformedSaslException.class);
  }

  @Test
  void shouldReadMessagesOfPlain() throws Exception {
    PlainMessage message = PlainMessage.read("u:bob\0ann\0sec ret".getBytes(UTF_8));
    assertThat(message.authorizationId()).isEqualTo("u:bob");
    assertThat(message.user()).isEqualTo("ann");
    assertThat(message.password()).isEqualTo("sec ret".getBytes(UTF_8));
    assertThat(message.toString()).doesNotContain("sec");
    assertThatThrownBy(() -> PlainMessage.read(new byte[] {0, (byte) 0xFF, 0, 'a'}))
        .isInstanceOf(MalformedSaslException.class);
    byte[] tooLong = new byte[PlainMessage.NAME_LENGTH + 4];
    java.util.Arrays.fill(tooLong, (byte) 'a');
    tooLong[0] = 0;
    tooLong[tooLong.length - 2] = 0;
    assertThatThrownBy(() -> PlainMessage.read(tooLong)).hasMessageContaining("1024");
  }
}
