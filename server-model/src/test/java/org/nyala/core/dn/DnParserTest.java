package org.nyala.core.dn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

class DnParserTest {
  private static final Schema SCHEMA = SchemaLoader.standard();

  private static Dn parse(String text) throws InvalidDnException {
    return DnParser.parse(SCHEMA, text);
  }

  private static String normalized(String text) throws InvalidDnException {
    return new String(parse(text).normalized(), UTF_8);
  }

  @Test
  void shouldNormalizeTypesAndValues() throws InvalidDnException {
    assertThat(normalized("CN=Babs  Jensen,2.5.4.11=People,DC=Example,domainComponent=COM"))
        .isEqualTo("cn=babs jensen,ou=people,dc=example,dc=com");
    assertThat(normalized("uid=x+CN=Y,c=DE")).isEqualTo("cn=y+uid=x,c=de");
    assertThat(normalized("cn=Lu\\C4\\8Di\\C4\\87")).isEqualTo("cn=lučić");
    assertThat(normalized("cn=a\\,b\\2bc\\\\d")).isEqualTo("cn=a\\2cb\\2bc\\5cd");
    assertThat(normalized("cn=#0403414243")).isEqualTo("cn=abc");
    assertThat(normalized("member=CN=A\\,DC=B,dc=c")).isEqualTo("member=cn=a\\2cdc=b,dc=c");
    assertThat(normalized("cn=a=b")).isEqualTo("cn=a=b");
  }

  @Test
  void shouldKeepTheNameAsPresented() throws InvalidDnException {
    Dn dn = parse("CN=Babs\\, J.+uid=1, ou=People,dc=x");

    assertThat(dn).hasToString("CN=Babs\\, J.+uid=1, ou=People,dc=x");
    assertThat(dn.rdnCount()).isEqualTo(3);
    assertThat(new String(dn.rdn(0), UTF_8)).isEqualTo("CN=Babs\\, J.+uid=1");
    assertThat(new String(dn.rdn(1), UTF_8)).isEqualTo("ou=People");
    assertThat(dn.parent()).hasToString("ou=People,dc=x");
    assertThat(dn.isWithin(parse("OU=people,DC=X"))).isTrue();
  }

  @Test
  void shouldRewriteWhatLdapVersion2Wrote() throws InvalidDnException {
    Dn dn = parse("OID.2.5.4.3 = \"Babs, \\\"J\\\"\" ; ou= a + uid=b;dc=x");

    assertThat(dn).hasToString("2.5.4.3=Babs\\, \\\"J\\\",ou=a+uid=b,dc=x");
    assertThat(new String(dn.rdn(1), UTF_8)).isEqualTo("ou=a+uid=b");
    assertThat(dn).isEqualTo(parse(dn.toString()));
  }

  @Test
  void shouldTakeNothingForTheEmptyName() throws InvalidDnException {
    assertThat(parse("")).isSameAs(Dn.EMPTY);
    assertThat(parse("  ")).isSameAs(Dn.EMPTY);
  }

  @Test
  void shouldRefuseWhatIsNotAName() {
    assertInvalid("cn", "expected an attribute type and '='");
    assertInvalid("=x", "expected an attribute type and '='");
    assertInvalid("cn=a,", "expected an attribute type and '='");
    assertInvalid("cn=a,,dc=b", "expected an attribute type and '='");
    assertInvalid("foo=bar", "unknown attribute type 'foo'");
    assertInvalid("cn=", "invalid value of 'cn'");
    assertInvalid("cn=a\\", "two hexadecimal digits");
    assertInvalid("cn=a\\4", "two hexadecimal digits");
    assertInvalid("cn=a<b", "must be escaped");
    assertInvalid("cn=\"a", "quote without end");
    assertInvalid("cn=\"a\"b", "expected ',' or '+'");
    assertInvalid("cn=#zz", "BER");
    assertInvalid("cn=#0405", "BER");
    assertInvalid("cn=\\ff", "invalid value of 'cn'");
    assertInvalid("cn=a+cn=b", "twice");
    assertInvalid("uidNumber=x", "invalid value of 'uidNumber'");
  }

  @Test
  void shouldRefuseWhatIsTooLong() throws InvalidDnException {
    byte[] name = "cn=a,cn=b,cn=c".getBytes(UTF_8);

    assertThat(DnParser.parse(SCHEMA, name, 14, 3).rdnCount()).isEqualTo(3);
    assertThatThrownBy(() -> DnParser.parse(SCHEMA, name, 13, 3))
        .isInstanceOf(InvalidDnException.class);
    assertThatThrownBy(() -> DnParser.parse(SCHEMA, name, 14, 2))
        .isInstanceOf(InvalidDnException.class);
  }

  @Test
  void shouldRefuseNamesNestedTooDeeply() throws InvalidDnException {
    assertThat(parse("member=member=cn=x").rdnCount()).isEqualTo(1);
    assertInvalid("member=".repeat(1000) + "cn=x", "invalid value of 'member'");
  }

  @Test
  void shouldGiveTheNamingValues() throws InvalidDnException {
    List<NamingValue> values =
        DnParser.namingValues(SCHEMA, "CN=Babs\\, J\\2E \\  + uid=#040161".getBytes(UTF_8).clone());

    assertThat(values).hasSize(2);
    assertThat(values.get(0).type()).isEqualTo(SCHEMA.attributeType("cn"));
    assertThat(new String(values.get(0).value(), UTF_8)).isEqualTo("Babs, J.  ");
    assertThat(values.get(1).type()).isEqualTo(SCHEMA.attributeType("uid"));
  }

  @Test
  void shouldBeEqualToItselfAfterNormalizing() throws InvalidDnException {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      String text = randomName(random);
      Dn dn = parse(text);
      String normalized = new String(dn.normalized(), UTF_8);
      assertThat(parse(normalized)).as("seed %d: %s", seed, text).isEqualTo(dn);
      assertThat(normalized(normalized)).as("seed %d: %s", seed, text).isEqualTo(normalized);
      for (int rdn = 0; rdn < dn.rdnCount(); rdn++) {
        Dn single = DnParser.parse(SCHEMA, dn.rdn(rdn), 8192, 1);
        assertThat(single.normalizedRdn(0))
            .as("seed %d: %s", seed, text)
            .isEqualTo(dn.normalizedRdn(rdn));
      }
    }
  }

  private static String randomName(Random random) {
    String[] types = {"cn", "OU", "2.5.4.10", "uid", "Description", "sn"};
    StringBuilder name = new StringBuilder();
    for (int rdn = random.nextInt(5); rdn >= 0; rdn--) {
      int type = random.nextInt(types.length);
      name.append(types[type]).append('=');
      appendValue(name, random);
      if (random.nextInt(3) == 0) {
        name.append('+').append(types[(type + 1) % types.length]).append('=');
        appendValue(name, random);
      }
      name.append(rdn == 0 ? "" : random.nextInt(5) == 0 ? " ; " : ",");
    }
    return name.toString();
  }

  private static void appendValue(StringBuilder name, Random random) {
    String[] parts = {
      "a", "B", " x", "\\,", "\\+", "\\2c", "\\5C", "é", "\\C3\\89", "\\ ", "=", "\\#"
    };
    name.append(random.nextBoolean() ? "v" : "\\20v");
    for (int i = random.nextInt(8); i > 0; i--) {
      name.append(parts[random.nextInt(parts.length)]);
    }
  }

  @Test
  void shouldSurviveEveryPrefixAndMutation() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    byte[] whole =
        "CN=\"a,b\" + uid=#040161;member=cn=x\\,dc=y,OID.2.5.4.11= Lu\\C4\\8D \\ ,dc=z"
            .getBytes(UTF_8);
    for (int length = 0; length <= whole.length; length++) {
      parseQuietly(Arrays.copyOf(whole, length));
    }
    for (int i = 0; i < 5000; i++) {
      byte[] mutated = whole.clone();
      for (int m = random.nextInt(4); m >= 0; m--) {
        mutated[random.nextInt(mutated.length)] =
            (byte)
                (random.nextBoolean()
                    ? random.nextInt(256)
                    : ",+=\\\"#; ".charAt(random.nextInt(8)));
      }
      assertThat(parseQuietly(mutated)).as("seed %d round %d", seed, i).isTrue();
    }
  }

  private static boolean parseQuietly(byte[] name) {
    try {
      Dn dn = DnParser.parse(SCHEMA, name, 8192, 128);
      return dn.equals(DnParser.parse(SCHEMA, dn.raw(), 8192, 128));
    } catch (InvalidDnException e) {
      return e.getMessage() != null && e.getStackTrace().length == 0;
    }
  }

  private static void assertInvalid(String text, String part) {
    assertThatThrownBy(() -> parse(text))
        .isInstanceOf(InvalidDnException.class)
        .hasMessageContaining(part);
  }

  @Test
  void shouldWriteWhatIsNoTextAsHexadecimalPairs() throws InvalidDnException {
    assertThat(parse("userPassword = \\ff\\fe,dc=test"))
        .hasToString("userPassword=\\ff\\fe,dc=test");
    assertThat(parse("userPassword=\\ff\\fe,dc=test")).hasToString("userPassword=\\ff\\fe,dc=test");
    assertThat(parse("cn = \\c3\\a4+userPassword=\\c3,dc=test"))
        .hasToString("cn=ä+userPassword=\\c3,dc=test");
    byte[] raw = "userPassword=?a,cn=\\c3?".getBytes(UTF_8);
    raw[13] = (byte) 0xff;
    raw[raw.length - 1] = (byte) 0xa4;
    Dn dn = DnParser.parse(SCHEMA, raw, 100, 10);
    assertThat(dn).hasToString("userPassword=\\ffa,cn=ä");
    assertThat(dn).isEqualTo(parse(dn.toString()));
  }

  @Test
  void shouldBoundTheLengthOfWhatEscapesMakeLonger() throws InvalidDnException {
    assertThat(parse("cn=\"" + "+".repeat(4000) + "\"").raw()).hasSize(8003);
    assertThatThrownBy(() -> parse("cn=\"" + "+".repeat(8000) + "\""))
        .isInstanceOf(InvalidDnException.class)
        .hasMessageContaining("name of 16003 bytes as RFC 4514 writes it");
  }

  @Test
  void shouldNotShowPasswordsInMessages() {
    for (String name :
        List.of(
            "userPassword=canary\\zcanary",
            "cn=x+USERPASSWORD=can\"canary",
            "2.5.4.35=\"canary\" canary",
            "pwdHistory=\"canary",
            "userPassword;lang-en=canary",
            "userPassword=#04canary")) {
      assertThatThrownBy(() -> parse(name))
          .as(name)
          .isInstanceOf(InvalidDnException.class)
          .hasMessageNotContaining("canary");
    }
    assertThatThrownBy(() -> parse("userPassword=a,cn=b\\zc"))
        .hasMessageEndingWith("of the name, before 'zc'");
  }
}
