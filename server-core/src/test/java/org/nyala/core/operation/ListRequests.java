package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.OperationFixture;

/** Requests for pages, orders and list views, and parsers of their answers. */
public final class ListRequests {
  private static final String SORTED = "1.2.840.113556.1.4.474";
  private static final String PAGED = "1.2.840.113556.1.4.319";
  private static final String VIEWED = "2.16.840.1.113730.3.4.10";

  private ListRequests() {}

  /** One requested sort key. */
  public record SortKey(String attribute, String rule, boolean reverse) {}

  public static RequestControl sort(boolean critical, SortKey... keys) {
    BerWriter list = new BerWriter();
    for (SortKey key : keys) {
      BerWriter one = new BerWriter().text(key.attribute());
      if (key.rule() != null) {
        one.octets(0x80, OperationFixture.bytes(key.rule()));
      }
      if (key.reverse()) {
        one.octets(0x81, new byte[] {-1});
      }
      list.sequence(one);
    }
    return control(ControlType.SORT, critical, list);
  }

  public static RequestControl page(int size, byte[] cookie) {
    return control(ControlType.PAGED_RESULTS, true, new BerWriter().integer(size).octets(cookie));
  }

  public static RequestControl byOffset(
      int before, int after, int offset, int count, byte[] context) {
    BerWriter target = new BerWriter().integer(offset).integer(count);
    BerWriter view = new BerWriter().integer(before).integer(after).constructed(0xa0, target);
    return control(
        ControlType.VIRTUAL_LIST_VIEW, true, context == null ? view : view.octets(context));
  }

  public static RequestControl byValue(int before, int after, String value) {
    BerWriter view = new BerWriter().integer(before).integer(after);
    return control(
        ControlType.VIRTUAL_LIST_VIEW, true, view.octets(0x81, OperationFixture.bytes(value)));
  }

  private static RequestControl control(ControlType type, boolean critical, BerWriter content) {
    return new RequestControl(
        type.oid(), critical, new BerWriter().sequence(content).toByteArray());
  }

  public static Request.Search with(
      Request.Search search, int sizeLimit, RequestControl... controls) {
    return new Request.Search(
        1,
        search.base(),
        search.scope(),
        search.derefAliases(),
        sizeLimit,
        0,
        false,
        search.filter(),
        List.of("1.1"),
        List.of(controls));
  }

  private static BerReader value(RecordingSink sink, String oid) {
    List<byte[]> values = sink.controlValues(oid);
    assertThat(values).as(oid).hasSize(1);
    try {
      return BerReader.trusted(values.getFirst()).sequence();
    } catch (InvalidBerException e) {
      throw new AssertionError(e);
    }
  }

  public static byte[] cookie(RecordingSink sink) {
    try {
      BerReader value = value(sink, PAGED);
      value.integer();
      return value.octets();
    } catch (InvalidBerException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the server's identifier of the list. */
  public static byte[] context(RecordingSink sink) {
    return place(sink).context();
  }

  public static int sortResult(RecordingSink sink) {
    try {
      return value(sink, SORTED).enumerated();
    } catch (InvalidBerException e) {
      throw new AssertionError(e);
    }
  }

  public record Place(int position, int count, int result, byte[] context) {}

  public static Place place(RecordingSink sink) {
    try {
      BerReader in = value(sink, VIEWED);
      return new Place(
          in.integer(), in.integer(), in.enumerated(), in.hasNext() ? in.octets() : null);
    } catch (InvalidBerException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the results of all pages. */
  public static List<String> pages(
      OperationFixture directory, Request.Search search, int size, RequestControl... others) {
    List<String> found = new ArrayList<>();
    byte[] cookie = {};
    int pages = 0;
    do {
      List<RequestControl> controls = new ArrayList<>(List.of(others));
      controls.add(page(size, cookie));
      RecordingSink sink = directory.run(with(search, 0, controls.toArray(RequestControl[]::new)));
      assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
      cookie = cookie(sink);
      assertThat(sink.dns.size()).isLessThanOrEqualTo(size);
      if (cookie.length > 0) {
        assertThat(sink.dns).hasSize(size);
      }
      found.addAll(sink.dns);
      assertThat(++pages).isLessThan(1000);
    } while (cookie.length > 0);
    return found;
  }
}
