package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.search.SearchControls;
import org.nyala.core.operation.update.ModifyOperation;
import org.nyala.core.session.OperationFixture;

/**
 * Tests that values of controls are read within bounds: of each control with a value, every list in
 * it is filled with millions of elements, and no operation builds more than a fraction of them.
 */
final class RepetitiveControlsTest {
  private static final String TOP = "dc=example,dc=com";
  private static final int VALUE_BYTES = 4 << 20;

  /** Far less than the elements of such a value would take, which are a million or more. */
  private static final long MOST_ALLOCATED = VALUE_BYTES;

  private static final int CONSTRUCTED = 0x20;
  private static final byte[] EMPTY = {BerReader.OCTET_STRING, 0};

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  static Stream<ControlType> controls() {
    return EnumSet.allOf(ControlType.class).stream()
        .filter(type -> SampleControls.value(type) != null);
  }

  private static byte[] filled(int tag, byte[] element) {
    byte[] content = new byte[VALUE_BYTES / element.length * element.length];
    for (int at = 0; at < content.length; at += element.length) {
      System.arraycopy(element, 0, content, at, element.length);
    }
    return new BerWriter().octets(tag, content).toByteArray();
  }

  /** Returns the element with each constructed one in it filled, one after the other. */
  private static List<byte[]> repetitive(byte[] element) throws InvalidBerException {
    List<byte[]> all = new ArrayList<>();
    int tag = element.length == 0 ? 0 : element[0] & 0xff;
    if ((tag & CONSTRUCTED) == 0) {
      return all;
    }
    List<byte[]> parts = new ArrayList<>();
    BerReader in = BerReader.trusted(element).content(tag);
    while (in.hasNext()) {
      parts.add(in.element());
    }
    all.add(filled(tag, EMPTY));
    for (int i = 0; i < parts.size(); i++) {
      all.add(filled(tag, parts.get(i)));
      for (byte[] part : repetitive(parts.get(i))) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (int n = 0; n < parts.size(); n++) {
          content.writeBytes(n == i ? part : parts.get(n));
        }
        all.add(new BerWriter().octets(tag, content.toByteArray()).toByteArray());
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("controls")
  void shouldBuildLittleOfAnyValue(ControlType type) throws InvalidBerException {
    byte[] sample = SampleControls.value(type);
    List<byte[]> values = repetitive(sample);
    boolean isSequence = sample.length > 0 && (sample[0] & CONSTRUCTED) != 0;
    assertThat(values.isEmpty()).isNotEqualTo(isSequence);
    for (byte[] value : values) {
      RequestControl control = new RequestControl(type.oid(), true, value);
      if (SearchControls.CONTROLS.contains(type)) {
        OperationFixture stored = new OperationFixture().store(List.of(), false);
        stored.identity = OperationFixture.ROOT;
        Request.Search search = search(TOP, Scope.SUBTREE, ALL);
        check(control, search, with(search, control), stored::run);
      }
      if (ModifyOperation.CONTROLS.contains(type)) {
        try (UpdateFixture stored = new UpdateFixture()) {
          Request.Modify modify = new Request.Modify(1, TOP, List.of(), List.of(control));
          check(control, new Request.Modify(1, TOP, List.of(), List.of()), modify, stored::run);
        }
      }
    }
  }

  private static void check(
      RequestControl control,
      Request without,
      Request with,
      Function<Request, RecordingSink> operations) {
    // The first runs load classes, and whatever else is made once.
    RecordingSink sink = operations.apply(with);
    RecordingSink _ = operations.apply(without);
    long allocated = allocated(with, operations) - allocated(without, operations);
    byte[] value = Objects.requireNonNull(control.value());
    byte[] head = Arrays.copyOf(value, 16);
    String what = control.oid() + ' ' + HexFormat.of().formatHex(head) + ": " + sink.results;
    assertThat(allocated).as(what).isLessThan(MOST_ALLOCATED);
    assertThat(sink.code()).as(what).isNotIn(ResultCode.OTHER, ResultCode.BUSY);
  }

  private static long allocated(Request request, Function<Request, RecordingSink> operations) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    RecordingSink _ = operations.apply(request);
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }
}
