package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.nyala.core.ber.BerReader;

final class CopiedValuesTest {
  private static final byte[] MEBIBYTE = new byte[1 << 20];

  private final CopiedValues.Budget budget = new CopiedValues.Budget();

  private static ResultCode refusal(CopiedValues copied) {
    LdapOperationException e =
        catchThrowableOfType(LdapOperationException.class, () -> copied.add(MEBIBYTE));
    return Objects.requireNonNull(e).result().code();
  }

  private static void fill(CopiedValues copied, int mebibytes) throws LdapOperationException {
    for (int i = 0; i < mebibytes; i++) {
      copied.add(MEBIBYTE);
    }
  }

  @Test
  void shouldBoundWhatIsCopiedOfOneEntry() throws LdapOperationException {
    try (CopiedValues copied = new CopiedValues(budget)) {
      fill(copied, 8);
      copied.attribute(new byte[] {'a'});
      fill(copied, 7);
      assertThat(refusal(copied)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    }
  }

  @Test
  void shouldBoundWhatAllCopyTogetherAndTakeItBack() throws LdapOperationException {
    long all = budget.left();
    try (CopiedValues one = new CopiedValues(budget);
        CopiedValues two = new CopiedValues(budget);
        CopiedValues three = new CopiedValues(budget)) {
      fill(one, 15);
      fill(two, 15);
      fill(three, 2);
      assertThat(refusal(three)).isEqualTo(ResultCode.BUSY);
      assertThat(budget.left()).isNotNegative().isLessThan(1 << 20);
    }
    assertThat(budget.left()).isEqualTo(all);
  }

  @Test
  void shouldEncodeValuesOfEveryLength() throws Exception {
    List<byte[]> values = new ArrayList<>();
    for (int length : new int[] {0, 1, 127, 128, 255, 256, 65_535, 65_536, 1 << 20}) {
      values.add(new byte[length]);
      try (CopiedValues copied = new CopiedValues(budget)) {
        for (byte[] value : values) {
          copied.add(value);
        }
        byte[] name = "description".getBytes(StandardCharsets.US_ASCII);
        byte[] attribute = copied.attribute(name);
        assertThat(copied.isEmpty()).isTrue();
        assertThat(attribute).isEqualTo(PartialAttributes.encode(name, values));
        BerReader whole = new BerReader(attribute);
        BerReader in = whole.sequence();
        whole.requireEnd();
        assertThat(in.text()).isEqualTo("description");
        BerReader set = in.enter(BerReader.SET);
        in.requireEnd();
        for (byte[] value : values) {
          assertThat(set.octets()).hasSameSizeAs(value);
        }
        set.requireEnd();
      }
    }
  }
}
