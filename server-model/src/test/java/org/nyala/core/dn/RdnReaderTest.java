package org.nyala.core.dn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** Compares the normal forms of single RDNs with those of names. */
class RdnReaderTest {
  private static final Schema SCHEMA = SchemaLoader.standard();

  private static final List<String> TYPES =
      List.of(
          "cn", "CN", "uid", "2.5.4.3", "oid.2.5.4.3", "member", "c", "commonName", "uidNumber");

  private static final List<String> PIECES =
      List.of("a", "B", " ", "  ", "\\,", "\\2b", "\\\\", "=", "#", "\u00e9", "\u0130", "42", "de");

  private final RdnReader reader = new RdnReader(SCHEMA);

  private String normalized(String rdn) {
    byte[] utf8 = ("xx" + rdn + "yy").getBytes(UTF_8);
    ByteAppender normal = reader.normalize(ByteBuffer.wrap(utf8), 2, utf8.length - 4);
    return new String(normal.toByteArray(), UTF_8);
  }

  @Test
  void shouldNormalizeAsNamesAre() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    int valid = 0;
    for (int i = 0; i < 20_000; i++) {
      String rdn = rdn(random);
      byte[] expected;
      try {
        expected = DnParser.parse(SCHEMA, rdn).normalizedRdn(0);
      } catch (InvalidDnException _) {
        continue;
      }
      valid++;
      assertThat(normalized(rdn)).as("test.seed=%d, %s", seed, rdn).isEqualTo(text(expected));
    }
    assertThat(valid).isGreaterThan(5_000);
  }

  private static String text(byte[] utf8) {
    return new String(utf8, UTF_8);
  }

  private static String rdn(Random random) {
    StringBuilder rdn = new StringBuilder();
    for (int i = random.nextInt(8) == 0 ? 2 : 1; i > 0; i--) {
      rdn.append(rdn.isEmpty() ? "" : "+").append(TYPES.get(random.nextInt(TYPES.size())));
      rdn.append(random.nextInt(10) == 0 ? " = " : "=");
      for (int pieces = random.nextInt(5); pieces >= 0; pieces--) {
        rdn.append(PIECES.get(random.nextInt(PIECES.size())));
      }
    }
    return rdn.toString();
  }

  @Test
  void shouldRefuseWhatIsNoRdn() {
    assertThatThrownBy(() -> normalized("cn=a,cn=b")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> normalized("nothing")).isInstanceOf(IllegalStateException.class);
    assertThat(normalized("CN=A  b")).isEqualTo("cn=a b");
  }
}
