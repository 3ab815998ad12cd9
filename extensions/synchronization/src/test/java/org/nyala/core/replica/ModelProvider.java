package org.nyala.core.replica;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.message.Request;

/**
 * A provider as a model: entries by their permanent identifiers, each with its parent's, in the
 * order in which they were made.
 *
 * <p>Confined to one thread.
 */
final class ModelProvider {
  static final String SUFFIX = "dc=example,dc=com";
  static final int SERVER = 1;
  private static final long FIRST_MICROS = 1_700_000_000_000_000L;

  /** An entry. */
  private static final class Node {
    final UUID uuid;
    UUID parent;
    String rdn;
    String description = "";
    Csn csn;

    Node(UUID uuid, UUID parent, String rdn) {
      this.uuid = uuid;
      this.parent = parent;
      this.rdn = rdn;
    }
  }

  /** A change, as the persist stage tells of it. */
  record Change(UUID uuid, Csn csn, SyncMessage.State state, String name) {}

  private final Random random;
  private final Map<UUID, Node> nodes = new LinkedHashMap<>();
  private final List<Change> changes = new ArrayList<>();
  private final UUID top;
  private long micros = FIRST_MICROS;
  private int names;
  private List<SyncMessage> late = List.of();

  ModelProvider(Random random) {
    this.random = random;
    Node root = new Node(uuid(), null, SUFFIX);
    top = root.uuid;
    nodes.put(top, root);
    note(root, SyncMessage.State.ADD);
  }

  private UUID uuid() {
    return new UUID(random.nextLong(), random.nextLong());
  }

  private void note(Node node, SyncMessage.State state) {
    node.csn = new Csn(++micros, 0, SERVER, 0);
    changes.add(new Change(node.uuid, node.csn, state, name(node)));
  }

  CsnVector csns() {
    return CsnVector.EMPTY.with(new Csn(micros, 0, SERVER, 0));
  }

  private SyncCookie cookie(CsnVector csns) {
    return new SyncCookie(1, SERVER, csns);
  }

  /** Changes something. */
  void change() {
    switch (random.nextInt(nodes.size() < 8 ? 3 : 10)) {
      case 0, 1, 2 -> add();
      case 3, 4 -> {
        Node node = any();
        node.description = "d" + random.nextInt(100);
        note(node, SyncMessage.State.MODIFY);
      }
      case 5 -> rename(any(), null);
      case 6 -> move();
      case 7 -> swap();
      case 8 -> delete(any());
      default -> replace();
    }
  }

  private Node any() {
    List<Node> all = new ArrayList<>(nodes.values());
    return all.get(random.nextInt(all.size()));
  }

  private Node add() {
    Node parent = any();
    Node node = new Node(uuid(), parent.uuid, rdnBelow(parent));
    nodes.put(node.uuid, node);
    note(node, SyncMessage.State.ADD);
    return node;
  }

  private String freshRdn() {
    return "ou=" + (random.nextBoolean() ? "e" : "E") + names++;
  }

  /** Returns an RDN that no entry below a parent has; often one that others have elsewhere. */
  private String rdnBelow(Node parent) {
    String common = "ou=n" + random.nextInt(6);
    return random.nextBoolean() && !hasChild(parent, common) ? common : freshRdn();
  }

  private void rename(Node node, String rdn) {
    if (node.uuid.equals(top)) {
      return;
    }
    node.rdn = rdn == null ? rdnBelow(nodes.get(node.parent)) : rdn;
    note(node, SyncMessage.State.MODIFY);
  }

  private void move() {
    Node node = any();
    Node parent = any();
    if (!node.uuid.equals(top) && !isWithin(parent, node) && !hasChild(parent, node.rdn)) {
      node.parent = parent.uuid;
      note(node, SyncMessage.State.MODIFY);
    }
  }

  private boolean isWithin(Node node, Node above) {
    for (Node each = node; each != null; each = nodes.get(each.parent)) {
      if (each == above) {
        return true;
      }
    }
    return false;
  }

  private boolean hasChild(Node parent, String rdn) {
    return nodes.values().stream()
        .anyMatch(each -> parent.uuid.equals(each.parent) && each.rdn.equalsIgnoreCase(rdn));
  }

  /**
   * Changes something while entries are sent: not the names of entries with others below them, of
   * which a scan need not tell again.
   */
  private void changeLeaves(List<Node> before) {
    List<Node> leaves = before.stream().filter(each -> nodes.containsKey(each.uuid)).toList();
    if (leaves.isEmpty()) {
      return;
    }
    Node leaf = leaves.get(random.nextInt(leaves.size()));
    String rdn = leaf.rdn;
    switch (random.nextInt(3)) {
      case 0 -> delete(leaf);
      case 1 -> rename(leaf, null);
      default -> {
        rename(leaf, freshRdn());
        Node heir = leaves.get(random.nextInt(leaves.size()));
        if (heir != leaf && heir.parent.equals(leaf.parent)) {
          rename(heir, rdn);
        }
      }
    }
  }

  private List<Node> leaves() {
    return nodes.values().stream()
        .filter(each -> nodes.values().stream().noneMatch(node -> each.uuid.equals(node.parent)))
        .filter(each -> !each.uuid.equals(top))
        .toList();
  }

  /** Two siblings swap their names, by way of a third name. */
  private void swap() {
    Node one = any();
    List<Node> siblings =
        nodes.values().stream()
            .filter(each -> each != one && one.parent != null && one.parent.equals(each.parent))
            .toList();
    if (siblings.isEmpty()) {
      return;
    }
    Node other = siblings.get(random.nextInt(siblings.size()));
    String first = one.rdn;
    String second = other.rdn;
    rename(one, freshRdn());
    rename(other, first);
    rename(one, second);
  }

  private void delete(Node node) {
    boolean hasChildren = nodes.values().stream().anyMatch(each -> node.uuid.equals(each.parent));
    if (!hasChildren && !node.uuid.equals(top)) {
      String name = name(node);
      nodes.remove(node.uuid);
      node.csn = new Csn(++micros, 0, SERVER, 0);
      changes.add(new Change(node.uuid, node.csn, SyncMessage.State.DELETE, name));
    }
  }

  /** An entry gets another below it, or its children, and its name goes to a new entry. */
  private void replace() {
    Node node = any();
    if (node.uuid.equals(top)) {
      return;
    }
    String rdn = node.rdn;
    UUID parent = node.parent;
    rename(node, freshRdn());
    Node heir = new Node(uuid(), parent, rdn);
    nodes.put(heir.uuid, heir);
    note(heir, SyncMessage.State.ADD);
    for (Node each : List.copyOf(nodes.values())) {
      if (node.uuid.equals(each.parent) && random.nextBoolean()) {
        each.parent = heir.uuid;
        note(each, SyncMessage.State.MODIFY);
      }
    }
    if (random.nextBoolean()) {
      node.parent = heir.uuid;
      note(node, SyncMessage.State.MODIFY);
    } else {
      delete(node);
    }
  }

  private String name(Node node) {
    return node.parent == null ? node.rdn : node.rdn + "," + name(nodes.get(node.parent));
  }

  private SyncMessage entry(Node node, SyncMessage.State state, Csn csn) {
    List<Request.AttributeValues> attributes = new ArrayList<>();
    attributes.add(values("objectClass", "top", "organizationalUnit"));
    attributes.add(values("ou", node.rdn.substring(3)));
    if (!node.description.isEmpty()) {
      attributes.add(values("description", node.description));
    }
    attributes.add(values("entryUUID", node.uuid.toString()));
    attributes.add(values("entryCSN", node.csn.toString()));
    attributes.add(values("entryDN", name(node)));
    attributes.add(values("numSubordinates", "5"));
    SyncCookie cookie = csn == null ? null : cookie(CsnVector.EMPTY.with(csn));
    return new SyncMessage.EntryState(state, node.uuid, name(node), attributes, cookie, 500);
  }

  private static Request.AttributeValues values(String name, String... values) {
    return new Request.AttributeValues(
        name, List.of(values).stream().map(each -> each.getBytes(UTF_8)).toList());
  }

  /** Returns the refresh stage for a cookie. */
  List<SyncMessage> refresh(SyncCookie from) {
    List<SyncMessage> messages = new ArrayList<>();
    CsnVector known = from.csns();
    late = List.of();
    if (known.csns().isEmpty() || random.nextInt(3) == 0) {
      CsnVector scanned = csns();
      int before = changes.size();
      scan(known, scanned, messages);
      late = asMade(before);
      if (random.nextBoolean()) {
        messages.add(new SyncMessage.PhaseEnd(false, true, cookie(scanned)));
        return messages;
      }
      late = List.of();
      messages.add(
          new SyncMessage.PhaseEnd(false, false, random.nextBoolean() ? cookie(scanned) : null));
      known = scanned;
      for (int i = random.nextInt(5); i > 0; i--) {
        change();
      }
    }
    delta(known, messages);
    messages.add(new SyncMessage.PhaseEnd(true, true, cookie(csns())));
    return messages;
  }

  /** Returns what has changed while the refresh was sent, as the persist stage tells of it. */
  List<SyncMessage> late() {
    return late;
  }

  private void scan(CsnVector known, CsnVector scanned, List<SyncMessage> messages) {
    List<UUID> unchanged = new ArrayList<>();
    boolean isLive = random.nextInt(3) == 0;
    boolean namesFirst = !known.csns().isEmpty() && random.nextBoolean();
    if (namesFirst) {
      nameAll(isLive, messages);
    }
    List<Node> leaves = leaves();
    for (Node node : List.copyOf(nodes.values())) {
      if (isLive && random.nextInt(6) == 0) {
        changeLeaves(leaves);
      }
      if (!nodes.containsKey(node.uuid)) {
        continue;
      }
      if (known.covers(node.csn)) {
        unchanged.addAll(namesFirst ? List.of() : List.of(node.uuid));
      } else if (!namesFirst || scanned.covers(node.csn)) {
        messages.add(entry(node, SyncMessage.State.ADD, null));
      }
      if (unchanged.size() == 4) {
        messages.add(new SyncMessage.IdSet(unchanged, false));
        unchanged.clear();
      }
    }
    if (!unchanged.isEmpty()) {
      messages.add(new SyncMessage.IdSet(unchanged, false));
    }
  }

  /** Names all entries, as slapd does; one that was added meanwhile is sent as a change. */
  private void nameAll(boolean isLive, List<SyncMessage> messages) {
    if (isLive) {
      add();
    }
    List<UUID> all = new ArrayList<>(nodes.keySet());
    Collections.shuffle(all, random);
    for (int from = 0; from < all.size(); from += 5) {
      List<UUID> some = all.subList(from, Math.min(all.size(), from + 5));
      messages.add(new SyncMessage.IdSet(some, false));
    }
  }

  private void delta(CsnVector known, List<SyncMessage> messages) {
    List<UUID> gone = new ArrayList<>();
    List<SyncMessage> changed = new ArrayList<>();
    Map<UUID, Boolean> seen = new TreeMap<>();
    for (Change change : changes) {
      if (known.covers(change.csn()) || seen.put(change.uuid(), true) != null) {
        continue;
      }
      Node node = nodes.get(change.uuid());
      if (node == null) {
        gone.add(change.uuid());
      } else {
        changed.add(entry(node, SyncMessage.State.ADD, null));
      }
    }
    if (random.nextBoolean()) {
      Collections.shuffle(changed, random);
    }
    if (!gone.isEmpty()) {
      messages.add(new SyncMessage.IdSet(gone, true));
    }
    messages.addAll(changed);
  }

  /** Makes changes, and returns the messages of the persist stage about them. */
  List<SyncMessage> follow(int count) {
    List<SyncMessage> messages = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int before = changes.size();
      change();
      messages.addAll(asMade(before));
    }
    return messages;
  }

  /** Returns the messages about changes; entries are sent under the names that they had then. */
  private List<SyncMessage> asMade(int from) {
    List<SyncMessage> messages = new ArrayList<>();
    for (int i = from; i < changes.size(); i++) {
      Change each = changes.get(i);
      Node node = nodes.get(each.uuid());
      if (each.state() == SyncMessage.State.DELETE) {
        messages.add(
            new SyncMessage.EntryState(
                SyncMessage.State.DELETE,
                each.uuid(),
                each.name(),
                List.of(),
                cookie(CsnVector.EMPTY.with(each.csn())),
                100));
      } else if (node != null) {
        SyncMessage.EntryState now = (SyncMessage.EntryState) entry(node, each.state(), each.csn());
        String rdn = each.name().substring(0, each.name().indexOf(','));
        List<Request.AttributeValues> attributes = new ArrayList<>(now.attributes());
        if (node.parent != null) {
          attributes.set(1, values("ou", rdn.substring(3)));
        }
        messages.add(
            new SyncMessage.EntryState(
                each.state(), each.uuid(), each.name(), attributes, now.cookie(), 500));
      } else {
        messages.add(gone(each));
      }
    }
    return messages;
  }

  /** Returns the message about an entry that was made and deleted at once. */
  private SyncMessage gone(Change change) {
    Node node =
        new Node(change.uuid(), top, change.name().substring(0, change.name().indexOf(',')));
    node.csn = change.csn();
    SyncMessage.EntryState made =
        (SyncMessage.EntryState) entry(node, change.state(), change.csn());
    return new SyncMessage.EntryState(
        change.state(), change.uuid(), change.name(), made.attributes(), made.cookie(), 500);
  }

  /** Returns the entries as text, by name. */
  Map<String, String> content() {
    Map<String, String> all = new TreeMap<>();
    for (Node node : nodes.values()) {
      all.put(
          name(node).toLowerCase(java.util.Locale.ROOT),
          node.uuid + " " + node.rdn + " " + node.description + " " + node.csn);
    }
    return all;
  }
}
