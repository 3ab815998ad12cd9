package org.nyala.core.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.ServerLimits.RequestLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** Tests that a name is the same as without the cache, in any state of the cache. */
class NameCacheTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final List<String> RDNS =
      List.of(
          "uid=ada",
          "UID=Ada ",
          " cn=Ada  Lovelace",
          "cn=a+sn=b",
          "sn=b + cn=a",
          "cn=a\\,b",
          "cn=\"a,b\"",
          "ou=People",
          "ou=people",
          "cn=#0403616263",
          "2.5.4.3=x",
          "cn=",
          "cn=\\2c",
          "nope=x",
          "cn",
          "",
          " ",
          "o=a;o=b",
          "cn=é");
  private static final List<String> PARENTS =
      List.of(
          "ou=People,dc=example,dc=com",
          " ou=People, dc=example,dc=com",
          "dc=com",
          "",
          " ",
          "ou=x;dc=com",
          "cn=\\,,dc=com",
          "nope=1",
          ",");

  @Test
  void shouldParseEveryNameAsTheParserDoesWhateverCameBefore() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    NameCache cache = new NameCache(SCHEMA, ServerLimits.DEFAULT);
    for (int i = 0; i < 20_000; i++) {
      String rdn = RDNS.get(random.nextInt(RDNS.size()));
      String text = rdn + ',' + PARENTS.get(random.nextInt(PARENTS.size()));
      Dn expected = expected(text);
      if (expected == null) {
        assertThatThrownBy(() -> cache.parse(text))
            .as("'%s', seed %d", text, seed)
            .isInstanceOf(LdapOperationException.class);
      } else {
        assertSame(cache.parse(text), expected, "'" + text + "', seed " + seed);
      }
    }
  }

  private static Dn expected(String text) {
    try {
      return DnParser.parse(SCHEMA, text);
    } catch (InvalidDnException _) {
      return null;
    }
  }

  private static void assertSame(Dn actual, Dn expected, String what) {
    assertThat(actual).as(what).isEqualTo(expected);
    assertThat(actual.normalized()).as(what).isEqualTo(expected.normalized());
    for (int i = 0; i < expected.rdnCount(); i++) {
      assertThat(actual.rdn(i)).as("RDN %d of %s", i, what).isEqualTo(expected.rdn(i));
    }
  }

  @Test
  void shouldKeepTheLimitsBelowARememberedParent() throws Exception {
    ServerLimits tight =
        TestLimits.with(ServerLimits.DEFAULT, TestLimits.names(RequestLimits.DEFAULT, 20, 3));
    NameCache cache = new NameCache(SCHEMA, tight);
    assertThat(cache.parse("cn=a,ou=x,dc=com").rdnCount()).isEqualTo(3);
    assertThat(cache.parse("cn=b,ou=x,dc=com").rdnCount()).isEqualTo(3);
    assertThatThrownBy(() -> cache.parse("cn=bbbbbbbbbb,ou=x,dc=com"))
        .isInstanceOf(LdapOperationException.class);
    assertThatThrownBy(() -> cache.parse("o=c,cn=a,ou=x,dc=com"))
        .isInstanceOf(LdapOperationException.class);
  }
}
