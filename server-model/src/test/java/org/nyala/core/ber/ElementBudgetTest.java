package org.nyala.core.ber;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ElementBudgetTest {
  private static byte[] names(int count) {
    BerWriter names = new BerWriter();
    for (int i = 0; i < count; i++) {
      names.octets(Integer.toString(i).getBytes(StandardCharsets.UTF_8));
    }
    return names.toByteArray();
  }

  private static BerReader reader(int count) {
    return new BerReader(names(count), new ElementBudget(count));
  }

  @Test
  void shouldReadListsOfAnyLength() throws InvalidBerException {
    for (int count : new int[] {0, 1, 2, 3, 17}) {
      List<String> read = reader(count).list(17, "names", BerReader::text);
      assertThat(read).hasSize(count).isEqualTo(Collections.unmodifiableList(read));
      for (int i = 0; i < count; i++) {
        assertThat(read.get(i)).isEqualTo(Integer.toString(i));
      }
      assertThatExceptionOfType(UnsupportedOperationException.class)
          .isThrownBy(() -> read.add("more"));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {BerReader.LONGEST_TEXT_BYTES - 1, BerReader.LONGEST_TEXT_BYTES})
  void shouldReadTextsUpToTheLongestName(int length) throws InvalidBerException {
    String text = "é" + "e".repeat(length - 2);
    byte[] element = new BerWriter().text(text).toByteArray();
    assertThat(new BerReader(element, new ElementBudget(1)).text()).isEqualTo(text);
    byte[] value = text.getBytes(StandardCharsets.UTF_8);
    assertThat(BerReader.lenientText(value)).isEqualTo(text);
  }

  @Test
  void shouldRefuseLongerTextsButNotThoseOfTheServer() throws InvalidBerException {
    String text = "e".repeat(BerReader.LONGEST_TEXT_BYTES + 1);
    byte[] element = new BerWriter().text(text).toByteArray();
    assertThatExceptionOfType(BerLimitException.class)
        .isThrownBy(() -> new BerReader(element, new ElementBudget(1)).text())
        .withMessage("a text of 65537 bytes, at most 65536 are allowed");
    byte[] value = text.getBytes(StandardCharsets.UTF_8);
    assertThatExceptionOfType(BerLimitException.class)
        .isThrownBy(() -> BerReader.lenientText(value));
    assertThat(BerReader.trusted(element).text()).isEqualTo(text);
  }

  @Test
  void shouldTellWhatIsNoTextFromWhatOnlyLooksLikeIt() throws InvalidBerException {
    byte[] replaced = new BerWriter().text("\ufffd").toByteArray();
    assertThat(new BerReader(replaced, new ElementBudget(1)).text()).isEqualTo("\ufffd");
    byte[] broken = new BerWriter().octets(new byte[] {'a', (byte) 0xc3}).toByteArray();
    assertThatExceptionOfType(BerContentException.class)
        .isThrownBy(() -> new BerReader(broken, new ElementBudget(1)).text());
    assertThat(BerReader.lenientText(new byte[] {'a', (byte) 0xc3})).isEqualTo("a\ufffd");
  }

  @Test
  void shouldRefuseAnElementTooManyBeforeItIsBuilt() {
    for (int most = 0; most < 5; most++) {
      int allowed = most;
      int[] built = {0};
      assertThatExceptionOfType(BerLimitException.class)
          .isThrownBy(
              () ->
                  reader(6)
                      .list(
                          allowed,
                          "names",
                          in -> {
                            built[0]++;
                            return in.text();
                          }))
          .withMessage("more than " + most + " names");
      assertThat(built[0]).isEqualTo(most);
    }
  }

  @Test
  void shouldEndAListAtAnotherTag() throws InvalidBerException {
    byte[] value =
        new BerWriter()
            .octets(0x81, new byte[] {1})
            .octets(0x81, new byte[0])
            .bool(true)
            .toByteArray();
    BerReader in = new BerReader(value, new ElementBudget(3));

    assertThat(in.list(0x80, 9, "pieces", reader -> reader.octets(0x80))).isEmpty();
    assertThat(in.list(0x81, 9, "pieces", reader -> reader.octets(0x81))).hasSize(2);
    assertThat(in.bool()).isTrue();
    assertThat(in.list(9, "pieces", BerReader::octets)).isEmpty();
  }

  @Test
  void shouldTakeTheElementsOfAllValuesOfOneBudget() throws InvalidBerException {
    ElementBudget request = new ElementBudget(10);
    BerReader first = new BerReader(names(6), request.part());
    BerReader second = new BerReader(names(6), request.part());

    assertThat(first.list(100, "names", BerReader::text)).hasSize(6);
    assertThat(request.left()).isEqualTo(4);
    assertThatExceptionOfType(BerLimitException.class)
        .isThrownBy(() -> second.list(100, "names", BerReader::text));
    assertThat(request.left()).isZero();
  }

  @Test
  void shouldTakeNothingMoreForAValueThatIsReadAgain() throws InvalidBerException {
    ElementBudget request = new ElementBudget(10);
    ElementBudget part = request.part();
    for (int i = 0; i < 5; i++) {
      part.renew();
      BerReader in = new BerReader(names(7), part);
      assertThat(in.list(100, "names", BerReader::text)).hasSize(7);
      assertThat(request.left()).isEqualTo(3);
      assertThat(part.left()).isEqualTo(3);
    }
  }

  @Test
  void shouldCountWhatIsWithinElementsToo() throws InvalidBerException {
    BerWriter content = new BerWriter().integer(1).bool(true);
    byte[] value = new BerWriter().sequence(content).toByteArray();
    ElementBudget request = new ElementBudget(3);
    BerReader inner = new BerReader(value, request).sequence();
    inner.integer();
    inner.bool();
    assertThat(request.left()).isZero();
    BerReader whole = new BerReader(value, request);
    assertThat(whole.skip(BerReader.SEQUENCE)).isEqualTo(6);
    assertThatExceptionOfType(BerLimitException.class)
        .isThrownBy(() -> new BerReader(value, request).element());
  }
}
