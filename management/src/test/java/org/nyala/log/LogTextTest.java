package org.nyala.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.load.SchemaAdditions;
import org.nyala.core.schema.load.SchemaLoader;

/**
 * Tests text of clients in logs: no passwords, and nothing that looks like another line or field.
 */
class LogTextTest {
  private static final byte[] CANARY = "canary".getBytes(UTF_8);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "userPassword",
        "USERPASSWORD;x-a",
        "userPassword;lang-en;x-b",
        "2.5.4.35",
        "2.5.4.35;binary",
        "oid.2.5.4.35",
        "OID.2.5.4.35;x",
        " userPassword ",
        "authPassword",
        "1.3.6.1.4.1.4203.1.3.4",
        "canaryPin",
        "1.2.3.4.5;x-a"
      })
  void shouldHidePasswordsHoweverTheyAreNamed(String attribute) {
    SecretAttributes.learn(
        SchemaAdditions.extend(
            SchemaLoader.standard(),
            List.of("( 1.2.3.4.5 NAME ( 'canaryPin' 'pin' ) SUP userPassword )"),
            List.of()));
    List<FilterNode> filters =
        List.of(
            new FilterNode.Equality(attribute, CANARY),
            new FilterNode.GreaterOrEqual(attribute, CANARY),
            new FilterNode.LessOrEqual(attribute, CANARY),
            new FilterNode.Approximate(attribute, CANARY),
            new FilterNode.Substrings(attribute, CANARY, List.of(CANARY), CANARY),
            new FilterNode.Extensible("2.5.13.17", attribute, CANARY, true),
            new FilterNode.Extensible("2.5.13.17", null, CANARY, false),
            new FilterNode.Extensible("octetStringMatch", "", CANARY, false));
    for (FilterNode filter : filters) {
      FilterNode all = new FilterNode.And(List.of(new FilterNode.Not(filter)));
      for (AccessFormat format : List.of(new StatsFormat(), new JsonFormat())) {
        assertThat(line(format, search(all, List.of()))).doesNotContain("=canary", "*canary");
      }
    }
    assertThat(LogText.filter(new FilterNode.Equality("cn", CANARY))).isEqualTo("(cn=canary)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "userPassword=canary,dc=a|userPassword=hidden,dc=a",
        "cn=x + USERPASSWORD = canary\\,canary+cn=y|cn=x + USERPASSWORD =hidden+cn=y",
        "cn=x;2.5.4.35=#canary;dc=a|cn=x;2.5.4.35=hidden;dc=a",
        "cn=x,oid.2.5.4.35=canary|cn=x,oid.2.5.4.35=hidden",
        "userPassword;lang-en=\"can,ary\",dc=a|userPassword;lang-en=hidden,dc=a",
        "the entry 'pwdHistory=canary,dc=a' is|the entry 'pwdHistory=hidden,dc=a' is",
        "userPassword=canary\\|userPassword=hidden",
        "cn=userPassword,dc=a=b|cn=userPassword,dc=a=b",
        "=,==|=,=="
      })
  void shouldHidePasswordsInNames(String name, String safe) {
    StringBuilder text = new StringBuilder();
    LogText.field(name, text);
    LogText.json(name, text);
    assertThat(LogText.withoutSecrets(name)).isEqualTo(safe);
    assertThat(LogText.plain(name) + LogText.quoted(name) + text).doesNotContain("canary");
    String many = "userPassword=canary,".repeat(LogText.MAXIMUM);
    assertThat(LogText.withoutSecrets(many)).doesNotContain("canary").endsWith("...");
    FilterNode filter = new FilterNode.Equality("member", name.getBytes(UTF_8));
    for (AccessFormat format : List.of(new StatsFormat(), new JsonFormat())) {
      assertThat(line(format, search(filter, List.of()))).doesNotContain("canary");
    }
  }

  @Test
  void shouldWriteOneLineOfWhateverIsSent() {
    StringBuilder all = new StringBuilder();
    for (char c = 0; c < 0xffff; c++) {
      all.append(Character.isSurrogate(c) ? ' ' : c);
    }
    for (int i = 0; i < all.length(); i += 4000) {
      String text = all.substring(i, Math.min(i + 4000, all.length()));
      byte[] value = text.getBytes(UTF_8);
      FilterNode filter =
          new FilterNode.Or(
              List.of(
                  new FilterNode.Equality("cn", value),
                  new FilterNode.Present(text),
                  new FilterNode.Extensible(text, text, value, false)));
      for (AccessFormat format : List.of(new StatsFormat(), new JsonFormat())) {
        assertThat(line(format, search(filter, List.of(text))))
            .endsWith("\n")
            .matches("(?s)(\\P{Cntrl}*\n)+")
            .doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}&&[^\n]]");
      }
    }
  }

  @Test
  void shouldNotLetNamesLookLikeFields() {
    Request request =
        search(
            new FilterNode.Present("cn=*)(uid err=0"),
            List.of("cn err=0", "a\" b", "cn;lang-en", "*", "+", "@person", "1.1"));
    String line = line(new StatsFormat(), request);
    assertThat(line)
        .contains("filter=\"(cn\\3D*\\29\\28uid\\20err\\3D0=*)\"\n")
        .contains("attr=cn\\20err\\3D0 a\\22\\20b cn;lang-en * + @person 1.1\n")
        .doesNotContain(" err=");
    Request.Extended extended = new Request.Extended(1, "1.2 err=0", null, List.of());
    assertThat(line(new StatsFormat(), extended)).contains("EXT oid=1.2\\20err\\3D0\n");
  }

  private static Request search(FilterNode filter, List<String> attributes) {
    return new Request.Search(
        1, "", Scope.BASE, DerefAliases.NEVER, 0, 0, false, filter, attributes, List.of());
  }

  /** Returns the line of a request that has begun or ended. */
  private static String line(AccessFormat format, Request request) {
    StringBuilder text = new StringBuilder();
    format.append(new AccessRecord.Started(Instant.EPOCH, 1, 2, request, ""), text);
    format.append(
        new AccessRecord.Ended(
            Instant.EPOCH, 1, 2, request, null, Map.of(), 0, 0, "cn=a", AccessRecord.Names.NONE, 0),
        text);
    return format instanceof StatsFormat
        ? text.toString().replaceAll("\n[^\n]*$", "\n")
        : text.toString();
  }

  @Test
  void shouldNameWhoActsAsAnother() {
    AccessRecord.Names names = new AccessRecord.Names("", "dn:cn=b\n\" x=1", "cn=c");
    AccessRecord.Ended ended =
        new AccessRecord.Ended(
            Instant.EPOCH,
            1,
            2,
            new Request.Delete(3, "cn=a", List.of()),
            null,
            Map.of(),
            0,
            0,
            "cn=b",
            names,
            0);
    StringBuilder stats = new StringBuilder();
    new StatsFormat().append(ended, stats);
    assertThat(stats.toString())
        .contains(" conn=1 op=2 PROXYAUTHZ dn=\"dn:cn=b\\0A\\22 x=1\" by=\"cn=c\"\n");
    StringBuilder json = new StringBuilder();
    new JsonFormat().append(ended, json);
    assertThat(json.toString())
        .contains("\"identity\":\"cn=b\",\"actor\":\"cn=c\"")
        .contains("\"authzid\":\"dn:cn=b\\u000A\\\" x=1\"");
  }

  /** Whatever a client sends is one field of one line. */
  @Test
  void shouldKeepTextWithinItsField() {
    String hostile =
        " \t\r\n\u000b\f\u001c\u0085\u00a0\u2003\u2028\u2029\u202e\u200b\u3000\u0000\"\\=\u00e9";
    StringBuilder text = new StringBuilder();
    LogText.field(hostile, text);
    assertThat(text.toString())
        .isEqualTo(
            "\"\\20\\09\\0D\\0A\\0B\\0C\\1C\\C2\\85\\C2\\A0\\E2\\80\\83"
                + "\\E2\\80\\A8\\E2\\80\\A9\\E2\\80\\AE\\E2\\80\\8B\\E3\\80\\80\\00\\22\\5C=\u00e9\"");
    for (int i = 0; i <= Character.MAX_VALUE; i++) {
      StringBuilder field = new StringBuilder();
      LogText.field("a" + (char) i + "b", field);
      assertThat(field.toString()).as("%x", i).matches("\"[^\\s\\h\\v\"]+\"");
    }
  }

  @Test
  void shouldCutAFieldBetweenCharacters() {
    StringBuilder text = new StringBuilder();
    LogText.field("x" + "\ud83d\ude00".repeat(1000), text);
    assertThat(text.toString()).isEqualTo("\"x" + "\ud83d\ude00".repeat(511) + "...\"");
    StringBuilder json = new StringBuilder();
    LogText.json("x" + "\ud83d\ude00".repeat(1000), LogText.FIELD_MAXIMUM, json);
    assertThat(json.toString()).isEqualTo(text.toString());
  }
}
