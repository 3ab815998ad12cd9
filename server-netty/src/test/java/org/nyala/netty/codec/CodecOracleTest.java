package org.nyala.netty.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.Request;
import org.nyala.netty.codec.RequestDecoder.ApacheReader;

/** Both codecs mean the same by the same bytes, and refuse the same with the same words. */
final class CodecOracleTest {
  /** The messages of the representative; many more in the profile {@code long}. */
  private static final int MESSAGES = Integer.getInteger("nyala.codec.messages", 20_000);

  private final long seed = Seeds.seed();
  private final RandomRequests requests = new RandomRequests(new Random(seed));
  private final RequestDecoder direct = Codec.DIRECT.decoder();
  private final ApacheReader reader;
  private final RequestDecoder apache;

  CodecOracleTest() {
    Envelope envelope = new Envelope(ServerLimits.DEFAULT);
    reader = new ApacheReader(envelope.reader(), ServerLimits.DEFAULT, Codec.MAXIMUM_PDU_BYTES);
    apache = new RequestDecoder(envelope, reader);
  }

  @Test
  void shouldReadRandomRequestsAlike() {
    Map<ApacheReader.Reading, Integer> readings = new EnumMap<>(ApacheReader.Reading.class);
    TreeSet<String> byCodec = new TreeSet<>();
    int count = MESSAGES;
    for (int i = 0; i < count; i++) {
      String outcome = compare(requests.next());
      if (!outcome.startsWith("MalformedRequest")) {
        readings.merge(reader.reading(), 1, Integer::sum);
        if (reader.reading() == ApacheReader.Reading.CODEC) {
          byCodec.add(outcome.substring(0, outcome.indexOf('(')));
        }
      }
    }
    assertThat(readings).as("seed %d", seed).containsOnlyKeys(ApacheReader.Reading.values());
    assertThat(readings.get(ApacheReader.Reading.CODEC))
        .as("requests of which the codec's reading counts: %s, seed %d", readings, seed)
        .isGreaterThan(count / 2);
    assertThat(byCodec)
        .containsExactly(
            "Abandon",
            "Add",
            "Bind",
            "Compare",
            "Delete",
            "Extended",
            "Modify",
            "ModifyDn",
            "Search",
            "Unbind");
  }

  @Test
  void shouldReadMutatedRequestsAlike() {
    int accepted = 0;
    for (int i = 0; i < 3 * MESSAGES; i++) {
      accepted += compare(requests.mutated()).startsWith("MalformedRequest") ? 0 : 1;
    }
    assertThat(accepted).as("seed %d", seed).isGreaterThan(MESSAGES / 6);
  }

  private String compare(byte[] pdu) {
    String expected = outcome(direct, pdu);
    assertThat(outcome(apache, pdu))
        .as("-Dtest.seed=%d, %s, read %s", seed, HexFormat.of().formatHex(pdu), reader.reading())
        .isEqualTo(expected);
    return expected;
  }

  /** Returns the request or the fault as text. */
  static String outcome(RequestDecoder decoder, byte[] pdu) {
    Request request = decoder.decode(Unpooled.wrappedBuffer(pdu), 0, pdu.length, pdu.length);
    return request == null ? decoder.problem().toString() : RequestText.of(request);
  }
}
