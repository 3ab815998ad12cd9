package org.nyala.loadtest.failover;

import com.unboundid.ldap.protocol.AddRequestProtocolOp;
import com.unboundid.ldap.protocol.AddResponseProtocolOp;
import com.unboundid.ldap.protocol.DeleteResponseProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ModifyRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyResponseProtocolOp;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.nyala.loadtest.engine.StubServer;

/**
 * Servers that lose what they have acknowledged, in one way, and know what. The first one takes
 * changes, the others are its copies. Thread-safe.
 */
final class LossyServers implements AutoCloseable {
  private static final int NO_SUCH_ATTRIBUTE = 16;
  private static final int CONSTRAINT_VIOLATION = 19;
  private static final int NO_SUCH_OBJECT = 32;
  private static final int UNWILLING = 53;
  private static final int ALREADY_EXISTS = 68;
  private static final int PROTECTED = 2;
  private static final int LATE_MILLIS = 15;

  private final Loss loss;
  private final Random random;
  private final int registers;
  private final List<StubServer> servers = new ArrayList<>();
  private final List<TreeMap<String, Map<String, String>>> data = new ArrayList<>();
  private final List<Late> late = new ArrayList<>();
  private final Set<String> expected = new TreeSet<>();
  private final Set<String> allowed = new TreeSet<>();
  private final List<Change> made = new ArrayList<>();
  private final Map<String, Map<String, String>> frozen = new HashMap<>();
  private final Set<Integer> dead = new HashSet<>();
  private final IdentityHashMap<OutputStream, Integer> generations = new IdentityHashMap<>();
  private final Set<String> unknownDeletions = new HashSet<>();
  private final List<Change> missed = new ArrayList<>();
  private int generation;
  private int cutCopy = -1;
  private String cutDn = "";
  private int writer;
  private int changes;
  private int trigger;
  private boolean isDone;
  private Change held;

  /** A change as a request asks for it. */
  private record Change(
      LDAPMessage request, String dn, char kind, String number, Map<String, String> before) {
    String key() {
      return dn.substring(dn.indexOf('=') + 1, dn.indexOf(',')) + ':' + number;
    }
  }

  /** A change that comes later to a server. */
  private record Late(int server, long dueNanos, Change change) {}

  private LossyServers(Loss loss, Random random, int registers) {
    this.loss = loss;
    this.random = random;
    this.registers = registers;
  }

  /** Starts servers; {@code after} changes they begin to behave as {@code loss} says. */
  static LossyServers start(Loss loss, int count, int registers, int after, Random random)
      throws IOException {
    LossyServers all = new LossyServers(loss, random, registers);
    all.trigger = after;
    for (int i = 0; i < count; i++) {
      int place = i;
      TreeMap<String, Map<String, String>> empty = new TreeMap<>();
      empty.put("dc=example", Map.of());
      all.data.add(empty);
      all.servers.add(StubServer.start((request, _, out) -> all.answer(place, request, out)));
    }
    return all;
  }

  List<StubServer> servers() {
    return servers;
  }

  /** The entries and numbers of acknowledged changes that are not there. */
  synchronized Set<String> expected() {
    Set<String> missing = new TreeSet<>(expected);
    missing.removeIf(each -> isGone(each.substring(0, each.indexOf(':'))));
    return missing;
  }

  private boolean isGone(String entry) {
    boolean isThere =
        data.get(writer).keySet().stream().anyMatch(dn -> dn.startsWith("ou=" + entry + ','));
    return unknownDeletions.contains(entry) && !isThere;
  }

  /** The writes of registers that are not there unless later ones cover them. */
  synchronized Set<String> allowed() {
    return Set.copyOf(allowed);
  }

  /** Returns the number of entries of the server that takes changes, with the one at the top. */
  synchronized int entries() {
    return data.get(writer).size();
  }

  /** Returns whether the servers have behaved as they were to. */
  synchronized boolean isDone() {
    return isDone;
  }

  private void answer(int place, LDAPMessage request, OutputStream out) throws IOException {
    byte[] answer;
    synchronized (this) {
      applyLate();
      if (dead.contains(place) || isCut(place, out)) {
        noteUnanswered(request);
        throw new IOException("dead");
      }
      answer =
          request.getProtocolOpType() == LDAPMessage.PROTOCOL_OP_TYPE_SEARCH_REQUEST
              ? search(place, request)
              : change(place, request);
    }
    out.write(answer);
    out.flush();
  }

  /** Notes a deletion whose outcome the client cannot know: it explains that an entry is gone. */
  private void noteUnanswered(LDAPMessage request) {
    if (request.getProtocolOpType() == LDAPMessage.PROTOCOL_OP_TYPE_DELETE_REQUEST) {
      String dn = normal(request.getDeleteRequestProtocolOp().getDN());
      unknownDeletions.add(dn.substring(dn.indexOf('=') + 1, dn.indexOf(',')));
    }
  }

  private void applyLate() {
    long now = System.nanoTime();
    for (Late each : List.copyOf(late)) {
      if (each.dueNanos <= now) {
        late.remove(each);
        force(data.get(each.server), each.change);
      }
    }
  }

  private byte[] search(int place, LDAPMessage request) {
    SearchRequestProtocolOp search = request.getSearchRequestProtocolOp();
    String base = normal(search.getBaseDN());
    Map<String, Map<String, String>> entries = data.get(place);
    if (!entries.containsKey(base)) {
      return encode(request, new SearchResultDoneProtocolOp(NO_SUCH_OBJECT, null, null, null));
    }
    java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
    boolean isBase = search.getScope() == SearchScope.BASE;
    entries.forEach(
        (dn, attributes) -> {
          if (isBase ? dn.equals(base) : dn.endsWith(',' + base)) {
            Map<String, String> shown =
                isBase && place == writer ? frozen.getOrDefault(dn, attributes) : attributes;
            List<Attribute> list = new ArrayList<>();
            shown.forEach((name, value) -> list.add(new Attribute(name, value)));
            out.writeBytes(encode(request, new SearchResultEntryProtocolOp(dn, list)));
          }
        });
    out.writeBytes(encode(request, new SearchResultDoneProtocolOp(0, null, null, null)));
    return out.toByteArray();
  }

  private static byte[] encode(LDAPMessage request, ProtocolOp operation) {
    return new LDAPMessage(request.getMessageID(), operation).encode().encode();
  }

  private static String normal(String dn) {
    return dn.toLowerCase(java.util.Locale.ROOT).replace(",dc=com", "");
  }

  /** Returns whether a connection was opened before the last restart of its server. */
  private boolean isCut(int place, OutputStream out) {
    return generations.computeIfAbsent(out, _ -> generation) != generation && place == writer;
  }

  private byte[] change(int place, LDAPMessage request) throws IOException {
    if (place != writer) {
      return result(request, UNWILLING);
    }
    Change change = read(request);
    TreeMap<String, Map<String, String>> entries = data.get(place);
    boolean isOfTest = change.dn.matches("ou=\\d+,.*");
    changes += isOfTest ? 1 : 0;
    if (held != null && held.dn.equals(change.dn)) {
      return result(request, reorder(change));
    }
    int code = possible(entries, change);
    code = code == 0 && !entries.containsKey(parent(change.dn)) ? NO_SUCH_OBJECT : code;
    if (code != 0 || !isOfTest || changes <= PROTECTED + registers) {
      if (code == 0) {
        everywhere(change);
      }
      return result(request, code);
    }
    if (isNow(change)) {
      if (loss == Loss.ROLLED_BACK || loss == Loss.TAKEN_OVER_LATE) {
        noteUnanswered(request);
      }
      return result(request, lose(entries, change));
    }
    return result(request, make(change));
  }

  private static String parent(String dn) {
    return dn.substring(dn.indexOf(',') + 1);
  }

  /** Makes a change as an honest server does. */
  private int make(Change change) {
    everywhere(change);
    made.add(change);
    return 0;
  }

  private void everywhere(Change change) {
    force(data.get(writer), change);
    for (int i = 0; i < data.size(); i++) {
      if (i != writer && !dead.contains(i)) {
        toCopy(i, change);
      }
    }
  }

  private void toCopy(int copy, Change change) {
    if (copy == cutCopy && change.dn.equals(cutDn)) {
      missed.add(change);
      return;
    }
    boolean isLate = loss == Loss.NONE_LATE_COPY || loss == Loss.TAKEN_OVER_LATE;
    if (isLate && change.dn.matches("ou=\\d+,.*")) {
      long millis = loss == Loss.TAKEN_OVER_LATE ? 5 : LATE_MILLIS;
      late.add(new Late(copy, System.nanoTime() + millis * 1_000_000, change));
    } else {
      force(data.get(copy), change);
    }
  }

  private boolean isOwn(Change change) {
    return Integer.parseInt(change.dn.substring(3, change.dn.indexOf(','))) >= registers;
  }

  /** Returns whether the loss happens to a change. */
  private boolean isNow(Change change) {
    if (changes < trigger || isDone && loss != Loss.LOST_REGISTER) {
      return loss == Loss.NONE_UNANSWERED && changes % 7 == 0
          || loss == Loss.NONE_LATER && changes % 7 == 0;
    }
    return switch (loss) {
      case LOST_ADD -> isOwn(change) && change.kind == 'A';
      case LOST_MODIFY, HALF_MODIFY, HALF_AT_COPY, REORDERED -> isOwn(change) && change.kind == 'W';
      case KEPT_DELETED -> isOwn(change) && change.kind == 'D';
      case LOST_REGISTER -> change.dn.startsWith("ou=0,");
      case OLD_AT_WRITER -> change.dn.startsWith("ou=0,");
      case WENT_BACK, INVENTED, REFUSED_AND_MADE, MISSING_AT_COPY ->
          isOwn(change) && change.kind != 'D';
      case NONE, NONE_LATE_COPY -> false;
      default -> true;
    };
  }

  private int lose(Map<String, Map<String, String>> entries, Change change) throws IOException {
    isDone = true;
    switch (loss) {
      case LOST_ADD, LOST_MODIFY, KEPT_DELETED -> lost(change);
      case LOST_REGISTER -> allowed.add(change.key());
      case HALF_MODIFY -> data.forEach(each -> half(each, change));
      case HALF_AT_COPY, MISSING_AT_COPY -> missing(change);
      case WENT_BACK -> {
        make(change);
        List<Change> all = made.stream().filter(each -> each.dn.equals(change.dn)).toList();
        all.reversed().forEach(each -> data.forEach(it -> restore(it, each)));
        expectUndone(all, writer);
      }
      case INVENTED -> {
        make(change);
        Map<String, String> invented = new HashMap<>(entries.get(change.dn));
        invented.replaceAll((_, _) -> "99999999");
        data.forEach(each -> each.put(change.dn, invented));
      }
      case REORDERED -> held = change;
      case REFUSED_AND_MADE -> {
        everywhere(change);
        expected.add(change.key());
        return CONSTRAINT_VIOLATION;
      }
      case OLD_AT_WRITER -> {
        frozen.put(change.dn, entries.get(change.dn));
        make(change);
      }
      case ROLLED_BACK -> rollBack();
      case TAKEN_OVER_LATE, NONE_TAKEN_OVER -> takeOver();
      case NONE_RESTARTED -> {
        generation++;
        throw new IOException("restarted");
      }
      case NONE_UNANSWERED -> {
        if (random.nextBoolean()) {
          everywhere(change);
        }
        throw new IOException("no answer");
      }
      default -> {
        for (int i = 0; i < data.size(); i++) {
          late.add(new Late(i, System.nanoTime() + LATE_MILLIS * 1_000_000, change));
        }
        throw new IOException("an answer that is later than the end");
      }
    }
    return 0;
  }

  private void lost(Change change) {
    expected.add(change.key());
  }

  private void missing(Change change) {
    cutCopy = 1 + random.nextInt(data.size() - 1);
    cutDn = change.dn;
    make(change);
    if (loss == Loss.HALF_AT_COPY) {
      missed.clear();
      half(data.get(cutCopy), change);
    }
  }

  private static void half(Map<String, Map<String, String>> entries, Change change) {
    Map<String, String> mixed = new TreeMap<>(entries.get(change.dn));
    mixed.put("street", change.number);
    mixed.put("st", change.number);
    entries.put(change.dn, mixed);
  }

  private static void restore(Map<String, Map<String, String>> entries, Change change) {
    if (change.before == null) {
      entries.remove(change.dn);
    } else {
      entries.put(change.dn, change.before);
    }
  }

  /** Makes a change before the one that was held, which has been acknowledged before it. */
  private int reorder(Change change) {
    Change first = held;
    held = null;
    everywhere(change);
    Map<String, String> old = new TreeMap<>(first.before);
    old.replaceAll((_, _) -> first.number);
    data.forEach(each -> each.put(change.dn, old));
    lost(change);
    return 0;
  }

  /** Ends the test: a change that was held for another one is lost if that has not come. */
  synchronized void release() {
    if (held != null) {
      lost(held);
      held = null;
    }
    expectUndone(missed, Math.max(0, cutCopy));
  }

  private void rollBack() throws IOException {
    int count = Math.min(made.size(), 1 + random.nextInt(20));
    List<Change> undone = made.subList(made.size() - count, made.size());
    List.copyOf(undone).reversed().forEach(each -> data.forEach(it -> restore(it, each)));
    expectUndone(undone, writer);
    generation++;
    throw new IOException("restarted");
  }

  private void takeOver() throws IOException {
    dead.add(writer);
    writer = 1;
    List<Change> undone = new ArrayList<>();
    for (Late each : late) {
      if (each.server == writer) {
        undone.add(each.change);
      }
    }
    late.clear();
    for (int i = 2; i < data.size(); i++) {
      data.set(i, new TreeMap<>(data.get(1)));
    }
    expectUndone(undone, writer);
    throw new IOException("dead");
  }

  /** Expects that changes are missed whose entries are not as the last one left them. */
  private void expectUndone(List<Change> undone, int server) {
    Set<String> seen = new HashSet<>();
    for (Change each : undone.reversed()) {
      if (!isOwn(each)) {
        allowed.add(each.key());
        continue;
      }
      boolean isThere = data.get(server).containsKey(each.dn);
      if (each.kind == 'D' && !isThere) {
        seen.add(each.dn);
      }
      if (!seen.contains(each.dn)) {
        lost(each);
      }
    }
  }

  private Change read(LDAPMessage request) {
    return switch (request.getProtocolOpType()) {
      case LDAPMessage.PROTOCOL_OP_TYPE_ADD_REQUEST -> {
        AddRequestProtocolOp add = request.getAddRequestProtocolOp();
        String number =
            add.getAttributes().stream()
                .filter(each -> each.getName().equals("description"))
                .map(Attribute::getValue)
                .findFirst()
                .orElse("");
        yield change(request, add.getDN(), 'A', number);
      }
      case LDAPMessage.PROTOCOL_OP_TYPE_MODIFY_REQUEST -> {
        ModifyRequestProtocolOp modify = request.getModifyRequestProtocolOp();
        yield change(
            request,
            modify.getDN(),
            'W',
            modify.getModifications().getLast().getAttribute().getValue());
      }
      default -> change(request, request.getDeleteRequestProtocolOp().getDN(), 'D', "deleted");
    };
  }

  private Change change(LDAPMessage request, String dn, char kind, String number) {
    return new Change(request, normal(dn), kind, number, data.get(writer).get(normal(dn)));
  }

  /** Returns the result code of a change as an honest server would answer it. */
  private static int possible(Map<String, Map<String, String>> entries, Change change) {
    Map<String, String> entry = entries.get(change.dn);
    if (change.kind == 'A') {
      return entry == null ? 0 : ALREADY_EXISTS;
    }
    if (entry == null) {
      return NO_SUCH_OBJECT;
    }
    if (change.kind == 'W') {
      for (Modification each : change.request.getModifyRequestProtocolOp().getModifications()) {
        if (each.getModificationType() == ModificationType.DELETE
            && !each.getAttribute().getValue().equals(entry.get(each.getAttributeName()))) {
          return NO_SUCH_ATTRIBUTE;
        }
      }
    }
    return 0;
  }

  /** Makes a change, whatever the entry has. */
  private static void force(Map<String, Map<String, String>> entries, Change change) {
    if (change.kind == 'D') {
      entries.remove(change.dn);
      return;
    }
    Map<String, String> entry = new TreeMap<>();
    if (change.kind == 'A') {
      change
          .request
          .getAddRequestProtocolOp()
          .getAttributes()
          .forEach(each -> entry.put(each.getName(), each.getValue()));
    } else {
      entry.putAll(entries.getOrDefault(change.dn, Map.of()));
      change
          .request
          .getModifyRequestProtocolOp()
          .getModifications()
          .forEach(
              each -> {
                if (each.getModificationType() != ModificationType.DELETE) {
                  entry.put(each.getAttributeName(), each.getAttribute().getValue());
                }
              });
    }
    entries.put(change.dn, entry);
  }

  private static byte[] result(LDAPMessage request, int code) {
    return encode(
        request,
        switch (request.getProtocolOpType()) {
          case LDAPMessage.PROTOCOL_OP_TYPE_ADD_REQUEST ->
              new AddResponseProtocolOp(code, null, null, null);
          case LDAPMessage.PROTOCOL_OP_TYPE_MODIFY_REQUEST ->
              new ModifyResponseProtocolOp(code, null, null, null);
          default -> new DeleteResponseProtocolOp(code, null, null, null);
        });
  }

  @Override
  public void close() throws IOException {
    for (StubServer server : servers) {
      server.close();
    }
  }
}
