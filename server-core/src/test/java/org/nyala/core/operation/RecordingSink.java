package org.nyala.core.operation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.EntryInParts;
import org.nyala.core.session.ResponseSink;
import org.nyala.core.session.WholeEntry;

/** Records answers as objects. Is writable for {@code room} appends after each flush. */
public final class RecordingSink implements ResponseSink {
  public final List<String> dns = new ArrayList<>();
  public final List<Map<String, List<String>>> attributes = new ArrayList<>();
  public final List<List<ResponseControl>> entryControls = new ArrayList<>();
  final List<List<ResponseControl>> referenceControls = new ArrayList<>();
  final List<Intermediate> intermediates = new ArrayList<>();
  public final List<List<String>> references = new ArrayList<>();
  public final List<LdapResult> results = new ArrayList<>();
  public byte[] extendedValue;
  boolean boundResult;

  /** Opened when the operation has ended. */
  final CountDownLatch ended = new CountDownLatch(1);

  /** The completion that the operation sets for the end of its answer; set once it has ended. */
  public Runnable completion;

  private boolean suppressed;

  int flushes;

  /** The value that it returns for whether it is on the event loop. */
  boolean onLoop;

  /** The contents of an intermediate response. */
  record Intermediate(String oid, byte[] value) {}

  private final int room;
  private int left;

  public RecordingSink(int room) {
    this.room = room;
    this.left = room;
  }

  @Override
  public void entry(
      EntryView entry,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed,
      List<ResponseControl> controls) {
    left--;
    entryControls.add(controls);
    dns.add(new String(entry.dn(), StandardCharsets.UTF_8));
    Map<String, List<String>> shown = new LinkedHashMap<>();
    for (int i = 0; i < entry.attributeCount(); i++) {
      if (selection.selects(table, entry.attributeId(i))) {
        String name = table.description(entry.attributeId(i)).name();
        ValueCursor values = new ValueCursor().open(entry, i);
        shown.put(name, selection.typesOnly() ? List.of() : texts(values));
      }
    }
    for (byte[] attribute : computed) {
      ByteBuffer buffer = ByteBuffer.wrap(attribute);
      String name = name(attribute);
      shown.put(name, texts(new ValueCursor().open(buffer, 0, attribute.length)));
    }
    attributes.add(shown);
  }

  private static String name(byte[] attribute) {
    try {
      return BerReader.trusted(attribute).sequence().text();
    } catch (InvalidBerException e) {
      throw new AssertionError("no attribute", e);
    }
  }

  private static List<String> texts(ValueCursor values) {
    List<String> texts = new ArrayList<>();
    while (values.next()) {
      texts.add(new String(values.value(), StandardCharsets.UTF_8));
    }
    return texts;
  }

  @Override
  public EntryInParts entryInParts(
      EntryView entry,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed,
      List<ResponseControl> controls) {
    return new WholeEntry(this, table, selection, computed, controls);
  }

  @Override
  public void reference(List<String> urls, List<ResponseControl> controls) {
    left--;
    references.add(urls);
    referenceControls.add(controls);
  }

  @Override
  public void intermediate(String oid, byte[] value) {
    left--;
    intermediates.add(new Intermediate(oid, value));
  }

  @Override
  public void result(Request request, LdapResult result) {
    if (!suppressed) {
      results.add(result);
    }
  }

  @Override
  public void extendedResult(LdapResult result, String oid, byte[] value) {
    results.add(result);
    extendedValue = value;
  }

  @Override
  public void bindResult(LdapResult result, byte[] serverSaslCredentials) {
    results.add(result);
    boundResult = true;
  }

  @Override
  public boolean isWritable() {
    return left > 0;
  }

  @Override
  public boolean isOnLoop() {
    return onLoop;
  }

  @Override
  public void flush(Runnable sent) {
    flushes++;
    left = room;
    if (sent != null && (suppressed || !results.isEmpty())) {
      completion = sent;
      ended.countDown();
    }
  }

  @Override
  public void suppress() {
    suppressed = true;
    results.clear();
  }

  /** Returns the values of the control of this kind in the result. */
  public List<byte[]> controlValues(String oid) {
    return results.getFirst().controls().stream()
        .filter(control -> control.oid().equals(oid))
        .map(ResponseControl::value)
        .toList();
  }

  public ResultCode code() {
    if (results.size() != 1) {
      throw new AssertionError("results: " + results);
    }
    return results.getFirst().code();
  }
}
