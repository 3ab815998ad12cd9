package org.nyala.core.ldif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.core.Seeds;

class LdifInputTest {
  private static final String TEXT = "version: 1\n\ndn: dc=example,dc=com\ndc: example\n\n";

  /** The programs that pack. */
  enum Packer {
    GZIP,
    ZSTD;

    byte[] pack(byte[] content) throws IOException {
      ByteArrayOutputStream packed = new ByteArrayOutputStream();
      try (OutputStream output =
          this == GZIP
              ? new GZIPOutputStream(packed)
              : new ZstdOutputStreamNoFinalizer(packed).setChecksum(true)) {
        output.write(content);
      }
      return packed.toByteArray();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] unpack(byte[] packed) throws IOException {
    try (LdifInput input = LdifInput.open(new ByteArrayInputStream(packed))) {
      byte[] content = input.readAllBytes();
      assertThat(input.sourceBytes()).isEqualTo(packed.length);
      return content;
    }
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  @Test
  void shouldReadPlainTextAsItIs() throws IOException {
    for (int length = 0; length <= TEXT.length(); length++) {
      byte[] start = bytes(TEXT.substring(0, length));
      assertThat(unpack(start)).isEqualTo(start);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldUnpackSeveralParts(Packer packer) throws IOException {
    byte[] large = new byte[300_000];
    new Random(7).nextBytes(large);
    for (byte[] content : List.of(bytes(TEXT), new byte[0], large)) {
      byte[] packed = packer.pack(content);
      assertThat(unpack(packed)).isEqualTo(content);
      byte[] more = packer.pack(bytes("# more\n"));
      assertThat(unpack(joined(packed, more, packed)))
          .isEqualTo(joined(content, bytes("# more\n"), content));
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseDataThatIsCutOffAnywhere(Packer packer) throws IOException {
    byte[] part = packer.pack(bytes(TEXT.repeat(20)));
    byte[] whole = joined(part, part);
    for (int length = 4; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      if (length == part.length) {
        assertThat(unpack(cut)).isEqualTo(bytes(TEXT.repeat(20)));
      } else {
        assertThatThrownBy(() -> unpack(cut))
            .as("%d bytes", length)
            .isInstanceOf(IOException.class);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseOtherBytesBehindTheEnd(Packer packer) throws IOException {
    byte[] part = packer.pack(bytes(TEXT));
    for (byte[] behind : List.of(new byte[] {0}, new byte[] {0x1f, (byte) 0x8b, 9}, bytes(TEXT))) {
      assertThatThrownBy(() -> unpack(joined(part, behind)))
          .as(Arrays.toString(behind))
          .isInstanceOf(IOException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldNeverTakeDamagedDataForTheContent(Packer packer) throws IOException {
    byte[] content = bytes(TEXT.repeat(20));
    byte[] packed = packer.pack(content);
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      byte[] damaged = packed.clone();
      damaged[4 + random.nextInt(packed.length - 4)] ^= (byte) (1 << random.nextInt(8));
      byte[] read;
      try {
        read = unpack(damaged);
      } catch (IOException _) {
        continue;
      }
      // Some bits of a header mean nothing, such as the time of a gzip member.
      assertThat(read).as("seed %d", seed).isEqualTo(content);
    }
  }

  @Test
  void shouldNameTheProgramThatUnpacksWhatItCannot() {
    assertThatThrownBy(() -> unpack(bytes("BZh91AY&SY")))
        .hasMessage(
            "compressed by bzip2: unpack it first, as in 'bzip2 -dc FILE | nyala import -'");
    assertThatThrownBy(() -> unpack(new byte[] {(byte) 0xfd, '7', 'z', 'X', 'Z', 0}))
        .hasMessageContaining("compressed by xz");
  }

  @Test
  void shouldSayWhereTheDataIsDamaged() throws IOException {
    byte[] packed = Packer.GZIP.pack(bytes(TEXT));
    assertThatThrownBy(() -> unpack(Arrays.copyOf(packed, 30)))
        .hasMessageStartingWith("the gzip data cannot be unpacked, 30 bytes in: ");
  }
}
