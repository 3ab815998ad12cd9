package org.nyala.core.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.backend.RandomFilters;
import org.nyala.core.ber.BerLimitException;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.DecoderFuzz;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.filter.FilterWriter;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.schema.load.SchemaLoader;

final class FilterReaderTest {
  private static final long SEED = Seeds.seed();
  private static final ServerLimits LIMITS = ServerLimits.DEFAULT;

  private static FilterNode read(byte[] value) throws InvalidBerException {
    BerReader in = BerReader.trusted(value);
    FilterNode filter = new FilterReader(LIMITS).read(in);
    in.requireEnd();
    return filter;
  }

  private static void assertRefused(byte[] value) {
    assertThatExceptionOfType(InvalidBerException.class)
        .as(HexFormat.of().formatHex(value))
        .isThrownBy(() -> read(value));
  }

  private static void assertTooLarge(byte[] value) {
    assertThatExceptionOfType(BerLimitException.class).isThrownBy(() -> read(value));
  }

  @Test
  void shouldIgnoreWhatFollowsInItems() throws InvalidBerException {
    for (String more : new String[] {"0400", "010100", "950101", "9f81010107"}) {
      int length = more.length() / 2;
      byte[] equality =
          HexFormat.of().parseHex("a3" + String.format("%02x", 6 + length) + "040161040162" + more);
      assertThat(read(equality)).isInstanceOf(FilterNode.Equality.class);
      byte[] extensible =
          HexFormat.of().parseHex("a9" + String.format("%02x", 6 + length) + "820161830162" + more);
      assertThat(read(extensible)).isInstanceOf(FilterNode.Extensible.class);
    }
    assertRefused(HexFormat.of().parseHex("a909810161830162820163"));
  }

  @Test
  void shouldReadFiltersOfEveryKind() throws InvalidBerException {
    RandomFilters filters =
        new RandomFilters(new RandomDirectory(SchemaLoader.standard(), SEED).entries(200), SEED);
    for (int i = 0; i < 2_000; i++) {
      FilterNode filter = filters.next(5);
      byte[] encoded = FilterWriter.encode(filter);
      FilterNode read = read(encoded);
      assertThat(read)
          .as("-Dtest.seed=%d, filter %d", SEED, i)
          .hasSameClassAs(filter)
          .usingRecursiveComparison()
          .isEqualTo(filter);
      assertThat(FilterWriter.encode(read)).isEqualTo(encoded);
      if (i < 40) {
        DecoderFuzz.check(encoded, FilterReaderTest::read);
      }
    }
  }

  @Test
  void shouldReadEmptySets() throws InvalidBerException {
    assertThat(read(new byte[] {(byte) 0xa0, 0})).isEqualTo(new FilterNode.And(List.of()));
    assertThat(read(new byte[] {(byte) 0xa1, 0})).isEqualTo(new FilterNode.Or(List.of()));
  }

  @Test
  void shouldRefuseWhatIsNoFilter() {
    for (String digits :
        new String[] {
          "",
          "0400",
          "a200",
          "a2048701618701 62".replace(" ", ""),
          "a3030401 61".replace(" ", ""),
          "a409 0401 61 3004 8101 61".replace(" ", ""),
          "a405040161 3000".replace(" ", ""),
          "a40b0401613006 820161 800161".replace(" ", ""),
          "a40b0401613006 800161 800161".replace(" ", ""),
          "a903830161",
          "8701ff",
          "aa020400",
        }) {
      assertRefused(HexFormat.of().parseHex(digits));
    }
  }

  @Test
  void shouldKeepTheLimits() throws InvalidBerException {
    FilterNode item = new FilterNode.Present("cn");
    FilterNode deep = item;
    for (int depth = 1; depth < LIMITS.requests().filterDepth(); depth++) {
      deep = new FilterNode.Not(deep);
    }
    assertThat(read(FilterWriter.encode(deep))).isEqualTo(deep);
    assertTooLarge(FilterWriter.encode(new FilterNode.Not(deep)));
    FilterNode wide =
        new FilterNode.Or(Collections.nCopies(LIMITS.requests().filterNodes() - 1, item));
    assertThat(read(FilterWriter.encode(wide))).isEqualTo(wide);
    FilterNode wider =
        new FilterNode.Or(Collections.nCopies(LIMITS.requests().filterNodes(), item));
    assertTooLarge(FilterWriter.encode(wider));
    List<byte[]> pieces =
        Collections.nCopies(LIMITS.requests().filterNodes(), "a".getBytes(StandardCharsets.UTF_8));
    assertTooLarge(FilterWriter.encode(new FilterNode.Substrings("cn", null, pieces, null)));
  }

  @Test
  void shouldCountNodesOverAllItems() throws InvalidBerException {
    FilterReader reader = new FilterReader(LIMITS);
    byte[] item = FilterWriter.encode(new FilterNode.Present("cn"));
    for (int i = 0; i < LIMITS.requests().filterNodes(); i++) {
      assertThat(reader.readItem(BerReader.trusted(item))).isEqualTo(new FilterNode.Present("cn"));
    }
    assertThatExceptionOfType(InvalidBerException.class)
        .isThrownBy(() -> reader.readItem(BerReader.trusted(item)));
    byte[] and = FilterWriter.encode(new FilterNode.And(List.of()));
    assertThatExceptionOfType(InvalidBerException.class)
        .isThrownBy(() -> new FilterReader(LIMITS).readItem(BerReader.trusted(and)));
  }
}
