package org.nyala.core.operation.search;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.decide.ClientFacts;
import org.nyala.core.access.decide.ClientRules;
import org.nyala.core.access.decide.Profile;
import org.nyala.core.access.decide.Rights;
import org.nyala.core.access.rule.Right;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.operation.values.PartialAttributes;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.MembershipLookup;
import org.nyala.core.session.Operation;

/**
 * The rights of somebody to the entries that a search returns, as two attributes that 389 Directory
 * Server has: {@code entryLevelRights: vadn} and {@code attributeLevelRights: cn:rscwo, sn:rsc}.
 * They are told to those who manage an entry, and of oneself.
 *
 * <p>Confined to one running operation.
 */
public final class RightsOfSubject {
  private static final byte[] OF_ENTRY = "entryLevelRights".getBytes(UTF_8);
  private static final byte[] OF_ATTRIBUTES = "attributeLevelRights".getBytes(UTF_8);
  private static final String NONE = "none";
  private static final String ALL_OF_ENTRY = "vadn";
  private static final String SIMPLE = "simple";

  private final AccessControl control;
  private final BoundIdentity subject;
  private final boolean isTold;
  private final List<String> named;
  private final @Nullable MembershipLookup lookup;
  private @Nullable EntryRights rights;

  /** The rights to the parents, which are not those to the entries between them. */
  private @Nullable EntryRights above;

  private long lastParent = ReadTransaction.NO_ENTRY;
  private boolean mayRemove;
  private boolean mayReplace;

  /**
   * Begins with a client and a subject.
   *
   * @param control the rules in force
   * @param subject the one whose rights are asked for, over a connection such as the client's
   * @param named the attributes that are told of even if an entry does not have them; others are
   *     ignored
   */
  public RightsOfSubject(
      AccessControl control, Operation operation, BoundIdentity subject, List<String> named) {
    this.control = control;
    this.subject = subject;
    this.named = List.copyOf(named);
    boolean isOwn = subject.equals(operation.identity());
    this.isTold = isOwn || operation.identity().isRoot();
    ClientRules own = isOwn ? operation.rules() : null;
    if (own != null) {
      begin(own);
    }
    this.lookup =
        own != null || subject.isRoot() ? null : control.lookUp(facts(operation.clientFacts()));
  }

  private ClientFacts facts(ClientFacts client) {
    String mechanism = client.mechanism().isEmpty() ? SIMPLE : client.mechanism();
    return new ClientFacts(
        subject.dn(),
        client.address(),
        client.tls(),
        client.sasl(),
        client.transport(),
        subject.isAnonymous() ? "" : mechanism);
  }

  private void begin(ClientRules rules) {
    rights = new EntryRights(control, rules);
    above = new EntryRights(control, rules);
  }

  /**
   * Looks up the groups of the subject.
   *
   * @return false if the slice ends before
   */
  public boolean prepare(Pace pace) throws LdapOperationException {
    MembershipLookup going = lookup;
    if (going == null || rights != null) {
      return true;
    }
    ClientRules rules = going.go(pace);
    if (rules != null) {
      begin(rules);
    }
    return rules != null;
  }

  /** Begins a slice; before its first entry. */
  void beginSlice(Backend backend, ReadTransaction transaction) {
    EntryRights ofEntries = rights;
    EntryRights ofParents = above;
    if (ofEntries != null && ofParents != null) {
      ofEntries.beginSlice(backend, transaction);
      ofParents.beginSlice(backend, transaction);
    }
    lastParent = ReadTransaction.NO_ENTRY;
  }

  /** Adds the attributes of an entry, each a whole BER {@code PartialAttribute}. */
  void addTo(List<byte[]> attributes, SearchPlan plan, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    Profile ofClient = plan.profile();
    if (!isTold && (ofClient == null || !ofClient.allowsEntry(Right.MANAGE))) {
      return;
    }
    EntryRights known = rights;
    Profile profile = known == null ? null : profile(known, plan, transaction, view);
    add(attributes, plan, OF_ENTRY, ofEntry(profile, transaction, view));
    List<String> each = new ArrayList<>();
    for (AttributeDescription attribute : attributes(plan, transaction.attributes(), view)) {
      each.add(attribute.name() + ':' + ofAttribute(profile, attribute));
    }
    if (!each.isEmpty()) {
      add(attributes, plan, OF_ATTRIBUTES, String.join(", ", each));
    }
  }

  private static Profile profile(
      EntryRights known, SearchPlan plan, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    // The pace never ends a slice.
    return Objects.requireNonNull(
        known.of(view, transaction.attributes(), plan.probe(transaction), Pace.UNBOUNDED));
  }

  private static void add(
      List<byte[]> attributes, SearchPlan plan, byte[] description, String value) {
    List<byte[]> values = plan.request().typesOnly() ? List.of() : List.of(value.getBytes(UTF_8));
    attributes.add(PartialAttributes.encode(description, values));
  }

  private String ofEntry(@Nullable Profile profile, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    if (profile == null) {
      return ALL_OF_ENTRY;
    }
    turnToParent(transaction, view);
    StringBuilder letters = new StringBuilder();
    letters.append(profile.allowsEntry(Right.READ) ? "v" : "");
    letters.append(profile.allowsChildren(Right.ADD) ? "a" : "");
    boolean mayRemoveEntry = profile.allowsEntry(Right.REMOVE);
    letters.append(mayRemoveEntry && mayRemove ? "d" : "");
    letters.append(mayRemoveEntry && profile.allowsEntry(Right.ADD) && mayReplace ? "n" : "");
    return letters.isEmpty() ? NONE : letters.toString();
  }

  /** Finds the rights to the list of entries that an entry is in. */
  private void turnToParent(ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    EntryRights ofParents = Objects.requireNonNull(above);
    long parent = view.parentId();
    if (parent != ReadTransaction.NO_ENTRY && parent == lastParent) {
      return;
    }
    lastParent = parent;
    Profile found =
        parent == ReadTransaction.NO_ENTRY
            ? ofParents.of(nameAbove(ofParents, view), Pace.UNBOUNDED)
            : ofParents.at(transaction, parent);
    mayRemove = found != null && found.allowsChildren(Right.REMOVE);
    mayReplace = mayRemove && found != null && found.allowsChildren(Right.ADD);
  }

  private static Dn nameAbove(EntryRights rights, EntryView view) {
    Dn name = DnParser.parseStored(rights.access().schema(), view.dn());
    return name.rdnCount() == 0 ? name : name.parent();
  }

  /** Returns the attributes that are sent of the entry, and those that are named. */
  private Set<AttributeDescription> attributes(
      SearchPlan plan, AttributeTable table, EntryView view) {
    Set<AttributeDescription> all = new LinkedHashSet<>();
    for (int i = 0; i < view.attributeCount(); i++) {
      int id = view.attributeId(i);
      if (plan.selection().selects(table, id)) {
        all.add(table.description(id));
      }
    }
    addNamed(plan.request().attributes(), plan.directory(), all);
    addNamed(named, plan.directory(), all);
    return all;
  }

  private static void addNamed(
      List<String> names, OperationContext directory, Set<AttributeDescription> all) {
    for (String name : names) {
      AttributeDescription found = AttributeDescription.parse(directory.schema(), name);
      if (found != null) {
        all.add(found);
      }
    }
  }

  private static String ofAttribute(@Nullable Profile profile, AttributeDescription attribute) {
    int set = profile == null ? Rights.ALL : profile.rights(attribute);
    StringBuilder letters = new StringBuilder();
    for (Right right : List.of(Right.READ, Right.SEARCH, Right.COMPARE)) {
      letters.append(Rights.has(set, right) ? right.word().charAt(0) : "");
    }
    letters.append(Rights.has(set, Right.ADD) ? "w" : "");
    letters.append(Rights.has(set, Right.REMOVE) ? "o" : "");
    return letters.isEmpty() ? NONE : letters.toString().toLowerCase(Locale.ROOT);
  }
}
