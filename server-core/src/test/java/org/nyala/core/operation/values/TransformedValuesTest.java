package org.nyala.core.operation.values;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.nyala.core.ber.BerReader;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

final class TransformedValuesTest {
  private static final byte[] MEBIBYTE = new byte[1 << 20];

  private final MemoryBudget budget =
      new MemoryBudget(new MemoryBounds(128L << 20, 80L << 20, 64L << 20), System::nanoTime);
  private final MemoryAccount account = budget.open("ann");

  private static ResultCode refusal(TransformedValues copied) {
    LdapOperationException e =
        catchThrowableOfType(LdapOperationException.class, () -> copied.add(MEBIBYTE));
    return Objects.requireNonNull(e).result().code();
  }

  private static void fill(TransformedValues copied, int mebibytes) throws LdapOperationException {
    for (int i = 0; i < mebibytes; i++) {
      copied.add(MEBIBYTE);
    }
  }

  @Test
  void shouldBoundWhatIsCopiedOfOneEntry() throws LdapOperationException {
    try (TransformedValues copied = new TransformedValues(account)) {
      fill(copied, 8);
      copied.attribute(new byte[] {'a'});
      fill(copied, 7);
      assertThat(refusal(copied)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    }
  }

  @Test
  void shouldTakeWhatIsCopiedFromTheAccountAndGiveItBack() throws LdapOperationException {
    try (TransformedValues one = new TransformedValues(account);
        TransformedValues two = new TransformedValues(account);
        TransformedValues three = new TransformedValues(account)) {
      fill(one, 15);
      fill(two, 15);
      assertThat(account.held()).isBetween(60L << 20, 61L << 20);
      fill(three, 1);
      assertThat(refusal(three)).isEqualTo(ResultCode.BUSY);
      try (TransformedValues ofAnother = new TransformedValues(budget.open("eve"))) {
        fill(ofAnother, 8);
      }
    }
    assertThat(budget.held()).isZero();
  }

  @Test
  void shouldRefuseForGoodWhatNoShareHasRoomFor() throws LdapOperationException {
    budget.reconfigure(new MemoryBounds(16L << 20, 8L << 20, 4L << 20));
    try (TransformedValues copied = new TransformedValues(account)) {
      fill(copied, 1);
      assertThat(refusal(copied)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    }
    assertThat(budget.held()).isZero();
  }

  @Test
  void shouldEncodeValuesOfEveryLength() throws Exception {
    List<byte[]> values = new ArrayList<>();
    for (int length : new int[] {0, 1, 127, 128, 255, 256, 65_535, 65_536, 1 << 20}) {
      values.add(new byte[length]);
      try (TransformedValues copied = new TransformedValues(account)) {
        for (byte[] value : values) {
          copied.add(value);
        }
        byte[] name = "description".getBytes(StandardCharsets.US_ASCII);
        byte[] attribute = copied.attribute(name);
        assertThat(copied.isEmpty()).isTrue();
        assertThat(attribute).isEqualTo(PartialAttributes.encode(name, values));
        BerReader whole = BerReader.trusted(attribute);
        BerReader in = whole.sequence();
        whole.requireEnd();
        assertThat(in.text()).isEqualTo("description");
        BerReader set = in.content(BerReader.SET);
        in.requireEnd();
        for (byte[] value : values) {
          assertThat(set.octets()).hasSameSizeAs(value);
        }
        set.requireEnd();
      }
    }
  }
}
