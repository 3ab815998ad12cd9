package org.nyala.core.operation.search;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryMark;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.operation.values.PartialAttributes;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.ClientRules;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.MembershipLookup;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;
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

  /** The number of attributes between two readings of the clock. */
  private static final int CLOCK_ATTRIBUTES = 32;

  private final AccessControl control;
  private final BoundIdentity subject;
  private final boolean isTold;
  private final List<String> named;
  private final @Nullable MembershipLookup lookup;
  private final EntryMark mark = new EntryMark();
  private @Nullable Telling going;
  private @Nullable List<AttributeDescription> further;
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
    rights = control.rightsBy(rules);
    above = control.rightsBy(rules);
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

  /** The progress in telling the rights to one entry. */
  private static final class Telling {
    final List<AttributeDescription> attributes;
    final StringBuilder told = new StringBuilder();
    @Nullable Profile profile;
    @Nullable String ofEntry;
    int at;

    Telling(List<AttributeDescription> attributes) {
      this.attributes = attributes;
    }
  }

  /**
   * Returns the attributes that tell the rights to an entry, each a whole BER {@code
   * PartialAttribute}.
   *
   * @return null if the slice ends before: another call with the same entry goes on
   */
  @Nullable List<byte[]> of(SearchPlan plan, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    Profile ofClient = plan.profile(view);
    if (!isTold && (ofClient == null || !ofClient.allowsEntry(Right.MANAGE))) {
      return List.of();
    }
    Telling telling = going;
    if (telling == null || !mark.isSame(view)) {
      telling = new Telling(attributes(plan, transaction.attributes(), view));
    }
    if (!tell(telling, plan, transaction, view)) {
      going = telling;
      mark.put(view);
      return null;
    }
    going = null;
    List<byte[]> attributes = new ArrayList<>(2);
    add(attributes, plan, OF_ENTRY, Objects.requireNonNull(telling.ofEntry));
    if (!telling.told.isEmpty()) {
      add(attributes, plan, OF_ATTRIBUTES, telling.told.toString());
    }
    return attributes;
  }

  /**
   * Returns whether telling the rights to the entry shown by a view was begun and the entry has not
   * changed since.
   */
  boolean isUnchanged(EntryView view) {
    return going != null && mark.isSame(view);
  }

  /** Goes on to tell the rights to an entry; false if the slice ends before. */
  private boolean tell(
      Telling telling, SearchPlan plan, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    Pace pace = plan.pace();
    EntryRights known = rights;
    if (known != null && telling.profile == null) {
      telling.profile = known.of(view, transaction.attributes(), plan.probe(transaction), pace);
      if (telling.profile == null) {
        return false;
      }
    }
    Profile profile = telling.profile;
    if (telling.ofEntry == null) {
      if (profile != null && !turnToParent(plan, transaction, view)) {
        return false;
      }
      telling.ofEntry = ofEntry(profile);
    }
    while (telling.at < telling.attributes.size()) {
      AttributeDescription attribute = telling.attributes.get(telling.at);
      telling.told.append(telling.at == 0 ? "" : ", ").append(attribute.name()).append(':');
      appendRights(telling.told, profile, attribute);
      telling.at++;
      if (telling.at % CLOCK_ATTRIBUTES == 0 && !pace.goesOn()) {
        return false;
      }
    }
    return true;
  }

  private static void add(
      List<byte[]> attributes, SearchPlan plan, byte[] description, String value) {
    List<byte[]> values = plan.request().typesOnly() ? List.of() : List.of(value.getBytes(UTF_8));
    attributes.add(PartialAttributes.encode(description, values));
  }

  private String ofEntry(@Nullable Profile profile) {
    if (profile == null) {
      return ALL_OF_ENTRY;
    }
    StringBuilder letters = new StringBuilder();
    letters.append(profile.allowsEntry(Right.READ) ? "v" : "");
    letters.append(profile.allowsChildren(Right.ADD) ? "a" : "");
    boolean mayRemoveEntry = profile.allowsEntry(Right.REMOVE);
    letters.append(mayRemoveEntry && mayRemove ? "d" : "");
    letters.append(mayRemoveEntry && profile.allowsEntry(Right.ADD) && mayReplace ? "n" : "");
    return letters.isEmpty() ? NONE : letters.toString();
  }

  /**
   * Finds the rights to the list of entries that an entry is in; false if the slice ends before.
   */
  private boolean turnToParent(SearchPlan plan, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    Pace pace = plan.pace();
    EntryRights ofParents = Objects.requireNonNull(above);
    long parent = view.parentId();
    if (parent != ReadTransaction.NO_ENTRY && parent == lastParent) {
      return true;
    }
    Profile found =
        parent == ReadTransaction.NO_ENTRY
            ? ofParents.of(nameAbove(plan.seen().name()), pace)
            : ofParents.at(transaction, parent, pace);
    if (found == null && !pace.goesOn()) {
      return false;
    }
    lastParent = parent;
    mayRemove = found != null && found.allowsChildren(Right.REMOVE);
    mayReplace = mayRemove && found != null && found.allowsChildren(Right.ADD);
    return true;
  }

  private static Dn nameAbove(Dn name) {
    return name.rdnCount() == 0 ? name : name.parent();
  }

  /** Returns the attributes that are sent of the entry, and those that are named. */
  private List<AttributeDescription> attributes(
      SearchPlan plan, AttributeTable table, EntryView view) {
    Set<AttributeDescription> own = plan.seen().attributes(view, table);
    List<AttributeDescription> further = further(plan);
    List<AttributeDescription> all = new ArrayList<>(own.size() + further.size());
    all.addAll(own);
    for (AttributeDescription each : further) {
      if (!own.contains(each)) {
        all.add(each);
      }
    }
    return all;
  }

  /** Returns the attributes that are named, each once; they are looked up for the first entry. */
  private List<AttributeDescription> further(SearchPlan plan) {
    List<AttributeDescription> known = further;
    if (known == null) {
      Set<AttributeDescription> all = new LinkedHashSet<>();
      addNamed(plan.request().attributes(), plan.directory(), all);
      addNamed(named, plan.directory(), all);
      known = List.copyOf(all);
      further = known;
    }
    return known;
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

  private static void appendRights(
      StringBuilder told, @Nullable Profile profile, AttributeDescription attribute) {
    int set = profile == null ? Rights.ALL : profile.rights(attribute);
    int before = told.length();
    told.append(Rights.has(set, Right.READ) ? "r" : "");
    told.append(Rights.has(set, Right.SEARCH) ? "s" : "");
    told.append(Rights.has(set, Right.COMPARE) ? "c" : "");
    told.append(Rights.has(set, Right.ADD) ? "w" : "");
    told.append(Rights.has(set, Right.REMOVE) ? "o" : "");
    told.append(told.length() == before ? NONE : "");
  }
}
