package org.nyala.blind;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.ExtendedRequestProtocolOp;
import com.unboundid.ldap.sdk.Control;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.blind.BlindRequests.Asked;
import org.nyala.blind.Twins.Twin;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.OperationType;

/**
 * A series of random requests of one client to both servers.
 *
 * <p>Confined to one thread.
 */
final class Series implements AutoCloseable {
  private static final int MOST_PAGES = 3;
  private static final String START_TRANSACTION = "1.3.6.1.1.21.1";
  private static final String END_TRANSACTION = "1.3.6.1.1.21.3";
  private static final String SYNC_DONE = "1.3.6.1.4.1.4203.1.9.1.3";

  /** The kinds of requests of a connection, by their share. */
  private static final List<OperationType> SHARES =
      List.of(
          OperationType.SEARCH,
          OperationType.SEARCH,
          OperationType.SEARCH,
          OperationType.SEARCH,
          OperationType.SEARCH,
          OperationType.SEARCH,
          OperationType.COMPARE,
          OperationType.COMPARE,
          OperationType.MODIFY,
          OperationType.MODIFY,
          OperationType.ADD,
          OperationType.DELETE,
          OperationType.MODIFY_DN,
          OperationType.EXTENDED,
          OperationType.ABANDON);

  private final Twins twins;
  private final Comparison comparison;
  private final Lot lot;
  private final BlindFilters filters;
  private final BlindControls controls;
  private final BlindRequests requests;
  private final RootChanges changes;
  private final String client;
  private final Pair pair;

  /** The kinds of requests sent, and the extended operations. */
  final Set<Object> sent = new HashSet<>();

  /** The last cookie that each server has given for a synchronization. */
  private final Map<Boolean, ASN1OctetString> synced = new HashMap<>();

  Series(Twins twins, Comparison comparison, String client, long seed) throws IOException {
    this.twins = twins;
    this.comparison = comparison;
    this.client = client;
    lot = new Lot(new Random(seed), new Values(twins.ldif()));
    filters = new BlindFilters(lot);
    controls = new BlindControls(lot, filters);
    requests = new BlindRequests(lot, filters, controls);
    changes = new RootChanges(twins, lot, comparison);
    pair = new Pair(twins, client);
  }

  /** The kinds of filters, controls, operations and extended operations sent so far. */
  Set<Object> sent() {
    sent.addAll(filters.made);
    sent.addAll(controls.made());
    return sent;
  }

  /** Takes one step. */
  void step(String about) throws IOException {
    switch (lot.random.nextInt(40)) {
      case 0 -> changes.seen(about);
      case 1 -> changes.hidden();
      case 2 -> transaction(about);
      case 3 -> new Standing(twins, comparison, lot, changes, client).run(about, filters, controls);
      case 4 -> beside(about);
      default -> compare(about, requests.next(lot.pick(SHARES)), pair);
    }
  }

  /** Sends requests of connections of their own. */
  private void beside(String about) throws IOException {
    try (Pair other = new Pair(twins, "")) {
      compare(about, requests.next(OperationType.BIND), other);
      compare(about, requests.next(OperationType.SEARCH), other);
      compare(about, requests.next(OperationType.UNBIND), other);
    }
  }

  private void compare(String about, Asked asked, Pair on) throws IOException {
    sent.add(asked.type());
    if (asked.operation() instanceof ExtendedRequestProtocolOp extended) {
      sent.add(extended.getOID());
    }
    Map<Boolean, ASN1OctetString> given =
        asked.has(ControlType.SYNC_REQUEST) && lot.once(2) ? Map.copyOf(synced) : Map.of();
    Function<Twin, Asked> request = twin -> continued(asked, given.get(twin.isFirst()));
    List<List<byte[]>> answers = on.ask(request);
    comparison.compare(about, asked, answers);
    keep(answers);
    pages(about, asked, on, answers);
    if (asked.operation() instanceof ExtendedRequestProtocolOp extended
        && extended.getOID().equals(START_TRANSACTION)
        && Messages.code(answers.get(0).getLast()) == 0) {
      end(about, on, answers);
    }
  }

  private void keep(List<List<byte[]>> answers) {
    for (Twin twin : twins.all()) {
      List<byte[]> answer = answers.get(twin.isFirst() ? 0 : 1);
      byte[] done = answer.isEmpty() ? null : Messages.control(answer.getLast(), SYNC_DONE);
      if (done != null && Messages.within(done).length > 0) {
        synced.put(twin.isFirst(), Messages.within(done)[0].decodeAsOctetString());
      }
    }
  }

  private static Asked continued(Asked asked, @Nullable ASN1OctetString cookie) {
    if (cookie == null) {
      return asked;
    }
    byte[] value =
        new BerWriter()
            .sequence(new BerWriter().enumerated(1).octets(cookie.getValue()))
            .toByteArray();
    return asked.with(
        new Control(ControlType.SYNC_REQUEST.oid(), true, new ASN1OctetString(value)));
  }

  private void pages(String about, Asked asked, Pair on, List<List<byte[]>> first)
      throws IOException {
    List<List<byte[]>> answers = first;
    for (int page = 0; page < MOST_PAGES && asked.has(ControlType.PAGED_RESULTS); page++) {
      List<byte[]> cookies = new ArrayList<>();
      answers.forEach(each -> cookies.add(Comparison.cookie(each.getLast())));
      if (cookies.contains(null) || cookies.stream().anyMatch(each -> each.length == 0)) {
        return;
      }
      int size = 1 + lot.random.nextInt(4);
      answers = on.ask(twin -> asked.with(nextPage(size, cookies.get(twin.isFirst() ? 0 : 1))));
      comparison.compare(about + " page " + (page + 2), asked, answers);
    }
  }

  private static Control nextPage(int size, byte[] cookie) {
    byte[] value =
        new BerWriter().sequence(new BerWriter().integer(size).octets(cookie)).toByteArray();
    return new Control(ControlType.PAGED_RESULTS.oid(), true, new ASN1OctetString(value));
  }

  private void transaction(String about) throws IOException {
    Asked start =
        Asked.of(
            OperationType.EXTENDED,
            new ExtendedRequestProtocolOp(START_TRANSACTION, null),
            List.of());
    List<List<byte[]>> started = pair.ask(_ -> start);
    List<ASN1OctetString> ids =
        started.stream().map(each -> Messages.extendedValue(each.getLast())).toList();
    if (ids.contains(null)) {
      comparison.compare(about, start, started);
      return;
    }
    controls.count(ControlType.TRANSACTION);
    for (int i = lot.random.nextInt(3); i >= 0; i--) {
      Asked asked =
          requests.next(
              lot.pick(List.of(OperationType.MODIFY, OperationType.ADD, OperationType.DELETE)));
      if (asked.inherent() == null) {
        List<List<byte[]>> answers =
            pair.ask(
                twin ->
                    asked.with(
                        new Control(
                            ControlType.TRANSACTION.oid(), true, ids.get(twin.isFirst() ? 0 : 1))));
        comparison.compare(about + " in a transaction", asked, answers);
      }
    }
    end(about, pair, started);
  }

  private void end(String about, Pair on, List<List<byte[]>> started) throws IOException {
    boolean commits = !lot.once(4);
    Function<Twin, Asked> end =
        twin -> {
          byte[] id =
              Messages.extendedValue(started.get(twin.isFirst() ? 0 : 1).getLast()).getValue();
          BerWriter parts = new BerWriter();
          if (!commits) {
            parts.bool(false);
          }
          return Asked.of(
              OperationType.EXTENDED,
              new ExtendedRequestProtocolOp(
                  END_TRANSACTION,
                  new ASN1OctetString(new BerWriter().sequence(parts.octets(id)).toByteArray())),
              List.of());
        };
    comparison.compare(about + " end of transaction", end.apply(twins.all().get(0)), on.ask(end));
  }

  @Override
  public void close() throws IOException {
    pair.close();
  }
}
