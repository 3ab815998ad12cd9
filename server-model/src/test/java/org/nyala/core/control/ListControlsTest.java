package org.nyala.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.DecoderFuzz;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;

class ListControlsTest {
  private static final byte[] PAGE = hex("30 09 02 01 64 04 04 01020304");
  private static final byte[] SORT =
      hex("302030040402636e30180402736e800f6361736549676e6f72654d617463688101ff");
  private static final byte[] BY_OFFSET =
      hex("30 12 02 01 02 02 01 03 a0 06 02 01 07 02 01 64 04 02 abcd");
  private static final byte[] BY_VALUE = hex("30 0b 02 01 00 02 01 13 81 03 616263");

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replace(" ", ""));
  }

  private static RequestControls controls(ControlType type, byte[] value)
      throws LdapOperationException {
    return RequestControls.read(
        List.of(new RequestControl(type.oid(), true, value)), EnumSet.allOf(ControlType.class), 8);
  }

  private static PagedResults paged(byte[] value) throws LdapOperationException {
    return PagedResults.of(controls(ControlType.PAGED_RESULTS, value), 0);
  }

  private static SortKeys sort(byte[] value) throws LdapOperationException {
    return SortKeys.of(controls(ControlType.SORT, value), 8);
  }

  private static VirtualListView view(byte[] value) throws LdapOperationException {
    return VirtualListView.of(controls(ControlType.VIRTUAL_LIST_VIEW, value));
  }

  @Test
  void shouldReadWhatRfcsWrite() throws LdapOperationException {
    assertThat(paged(PAGE).size()).isEqualTo(100);
    assertThat(paged(PAGE).cookie()).containsExactly(1, 2, 3, 4);
    assertThat(sort(SORT).keys())
        .containsExactly(
            new SortKeys.Key("cn", null, false), new SortKeys.Key("sn", "caseIgnoreMatch", true));
    VirtualListView byOffset = view(BY_OFFSET);
    assertThat(List.of(byOffset.before(), byOffset.after(), byOffset.offset()))
        .containsExactly(2, 3, 7);
    assertThat(byOffset.contentCount()).isEqualTo(100);
    assertThat(byOffset.value()).isNull();
    assertThat(byOffset.contextId()).containsExactly(0xab, 0xcd);
    VirtualListView byValue = view(BY_VALUE);
    assertThat(new String(byValue.value(), StandardCharsets.UTF_8)).isEqualTo("abc");
    assertThat(byValue.after()).isEqualTo(19);
    assertThat(byValue.contextId()).isNull();
  }

  @Test
  void shouldSurviveEveryOtherValue() {
    DecoderFuzz.check(PAGE, ListControlsTest::paged);
    DecoderFuzz.check(SORT, ListControlsTest::sort);
    DecoderFuzz.check(BY_OFFSET, ListControlsTest::view);
    DecoderFuzz.check(BY_VALUE, ListControlsTest::view);
  }

  @Test
  void shouldRefuseWhatMakesNoSense() {
    byte[] negativePage =
        new BerWriter().sequence(new BerWriter().integer(-1).octets(new byte[0])).toByteArray();
    byte[] noKey = new BerWriter().sequence(new BerWriter()).toByteArray();
    byte[] negativeCount = hex("30 0b 02 01 ff 02 01 13 81 03 616263");
    assertRefused(() -> paged(negativePage));
    assertRefused(() -> sort(noKey));
    assertRefused(() -> view(negativeCount));
  }

  private static void assertRefused(ThrowingCallable read) {
    assertThatThrownBy(read)
        .isInstanceOfSatisfying(
            LdapOperationException.class,
            e -> assertThat(e.result().code()).isEqualTo(ResultCode.PROTOCOL_ERROR));
  }

  @Test
  void shouldWriteResponsesAsTheRfcsDo() {
    assertThat(PagedResults.response(7, new byte[] {9}))
        .satisfies(
            control -> {
              assertThat(control.oid()).isEqualTo("1.2.840.113556.1.4.319");
              assertThat(control.value()).isEqualTo(hex("30 06 02 01 07 04 01 09"));
            });
    assertThat(SortKeys.response(ResultCode.NO_SUCH_ATTRIBUTE, "xy"))
        .satisfies(
            control -> {
              assertThat(control.oid()).isEqualTo("1.2.840.113556.1.4.474");
              assertThat(control.value()).isEqualTo(hex("30 07 0a 01 10 80 02 7879"));
            });
    assertThat(VirtualListView.response(3, 300, ResultCode.OFFSET_RANGE_ERROR, new byte[] {1}))
        .satisfies(
            control -> {
              assertThat(control.oid()).isEqualTo("2.16.840.1.113730.3.4.10");
              assertThat(control.value())
                  .isEqualTo(hex("30 0d 02 01 03 02 02 012c 0a 01 3d 04 01 01"));
            });
  }

  @Test
  void shouldIgnoreWhatLaterVersionsAppend() throws LdapOperationException {
    BerWriter page = new BerWriter().integer(100).octets(new byte[0]).octets(0x9e, new byte[] {1});
    assertThat(paged(new BerWriter().sequence(page).toByteArray()).size()).isEqualTo(100);
    BerWriter key = new BerWriter().text("cn").bool(0x81, true).octets(0x82, new byte[] {1});
    byte[] keys = new BerWriter().sequence(new BerWriter().sequence(key)).toByteArray();
    assertThat(sort(keys).keys()).containsExactly(new SortKeys.Key("cn", null, true));
    BerWriter target = new BerWriter().integer(7).integer(9).octets(0x85, new byte[0]);
    BerWriter wanted =
        new BerWriter().integer(1).integer(2).constructed(0xa0, target).octets(0x8a, new byte[3]);
    VirtualListView view = view(new BerWriter().sequence(wanted).toByteArray());
    assertThat(view.contentCount()).isEqualTo(9);
    assertThat(view.contextId()).isNull();
  }

  @Test
  void shouldIgnoreAppendedUniversalElementsToo() throws LdapOperationException {
    BerWriter page = new BerWriter().integer(100).octets(new byte[0]).octets(new byte[] {1});
    assertThat(paged(new BerWriter().sequence(page).toByteArray()).size()).isEqualTo(100);
  }

  @Test
  void shouldTakeNoKnownElementForAnExtension() {
    BerWriter key = new BerWriter().text("cn").bool(0x81, true).octets(0x80, new byte[] {'x'});
    byte[] keys = new BerWriter().sequence(new BerWriter().sequence(key)).toByteArray();
    assertRefused(() -> sort(keys));
  }
}
