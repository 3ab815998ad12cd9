package org.nyala.core.operation.password;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.PasswordTarget;
import org.nyala.core.accounts.UpdatePasswords;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Sequence;

/**
 * The passwords in clear text in an add or a modify: they are hashed before they are stored, as by
 * slapd's {@code ppolicy_hash_cleartext}. One to be deleted stands for the stored values that it
 * matches when the request comes, which the gate alone lets it be compared with. One to be added is
 * compared with none.
 *
 * <p>Confined to one running operation.
 */
public final class ClearPasswords implements UpdatePasswords {
  /** The most passwords of one request, and the most stored ones that each is compared with. */
  private static final int MOST = 16;

  private final OperationContext directory;
  private final Request request;
  private final List<Place> places;
  private final boolean isHashing;

  /** True if the client has hashed one of them itself. */
  private final boolean hasHashed;

  private @Nullable PasswordGate gate;
  private List<Request> earlier = List.of();
  private boolean isPermissive;

  /** True if the policy of the entry decides, as the client does not manage its passwords. */
  private boolean isJudged;

  private boolean provesOld;
  private boolean hasMatched;

  /**
   * A password in a request, and the values that replace it.
   *
   * @param list the number of the attribute or change
   * @param index the number of the value in it
   * @param isAsStored true if it is compared with stored values as it is, or left as it is
   */
  private record Place(
      int list,
      int index,
      AttributeDescription attribute,
      byte[] password,
      boolean isDelete,
      boolean isAsStored,
      List<byte[]> results) {}

  private ClearPasswords(
      OperationContext directory,
      Request request,
      List<Place> places,
      boolean isHashing,
      boolean hasHashed) {
    this.directory = directory;
    this.request = request;
    this.places = places;
    this.isHashing = isHashing;
    this.hasHashed = hasHashed;
  }

  /**
   * Finds the passwords in clear text, and those that are deleted as they are stored, up to one
   * more than there may be; null if there are none.
   *
   * @param always true if they are hashed whatever the configuration says
   * @param isRoot true for root, who sees what is stored: what it deletes as it is stored is left
   */
  public static @Nullable ClearPasswords in(
      OperationContext directory, Request request, boolean always, boolean isRoot) {
    boolean isHashing = always || directory.updating().hashesClearText();
    boolean hasHashed = false;
    List<Place> places = new ArrayList<>(0);
    for (SentPasswords.Sent sent : SentPasswords.in(directory.schema(), request)) {
      boolean isDelete = sent.kind() == SentPasswords.DELETE;
      for (int i = 0; i < sent.values().size() && places.size() <= MOST; i++) {
        byte[] value = sent.values().get(i);
        boolean isHashed = PasswordHash.namesScheme(value);
        hasHashed |= isHashed && !isDelete;
        boolean isAsStored = isDelete && (isHashed || !isHashing);
        if (value.length > 0 && (isDelete ? !isAsStored || !isRoot : !isHashed)) {
          places.add(
              new Place(
                  sent.list(),
                  i,
                  sent.description(),
                  value,
                  isDelete,
                  isAsStored,
                  new ArrayList<>(1)));
        }
      }
    }
    // Old ones first: they prove who sends the others.
    places.sort(Comparator.comparing((Place place) -> !place.isDelete()));
    return places.isEmpty()
        ? null
        : new ClearPasswords(directory, request, places, isHashing, hasHashed);
  }

  @Override
  public void begin(
      Operation operation, PasswordTarget target, boolean isInTransaction, List<Request> others)
      throws LdapOperationException {
    long records = AccountRuntime.of(directory).attempts().records();
    earlier = others;
    isPermissive = operation.controls().has(ControlType.PERMISSIVE_MODIFY);
    try (ReadTransaction read = target.backend().beginRead()) {
      boolean isRuled = target.begin(read);
      if (isRuled && !isInTransaction) {
        target.requireRights();
      }
      EntryView view = directory.scratch().view;
      AttributeTable table = target.show(view);
      if (table == null) {
        if (!earlier.isEmpty()) {
          // Of an entry that the transaction adds.
          gate = gate(operation, target, PasswordSubject.NONE, records, false);
        }
        return;
      }
      PasswordSubject about = PasswordSubject.read(directory, view, table, read);
      boolean isPoliced = about.standing().name() != null;
      boolean isUnasked = isRuled && isInTransaction;
      if (isUnasked && (isPoliced || deletes())) {
        // It is told about the passwords of the entry.
        target.requireRights();
      }
      boolean isAsked = !isUnasked || isPoliced;
      boolean isManaged = (isAsked || deletes()) && target.managesPasswords();
      gate = gate(operation, target, about, records, isManaged);
      isJudged = isAsked && !isManaged;
      if (isJudged && isPoliced) {
        require(operation, about, target.isOwn());
      }
    }
  }

  /** Lets passwords that are deleted be compared with those that are stored. */
  private PasswordGate gate(
      Operation operation,
      PasswordTarget target,
      PasswordSubject about,
      long records,
      boolean isManaged) {
    return PasswordGate.of(
        directory, operation, target.backend(), target.name(), about, records, isManaged);
  }

  /** Makes the demands of the policy, before the new password is looked at. */
  private void require(Operation operation, PasswordSubject about, boolean isOwner)
      throws LdapOperationException {
    boolean hasOld = places.stream().anyMatch(place -> place.isDelete() && !place.isAsStored());
    if (about.entryId() != 0) {
      about.requireChangeable(isOwner, hasOld, directory.updating().instant());
      if (operation.controls().has(ControlType.NO_OP)) {
        throw new LdapOperationException(
            ResultCode.UNWILLING_TO_PERFORM, "a new password is not tried without being set");
      }
      if (hasOld && isPermissive) {
        // The present password might be another one by the turn, and be missed by nobody.
        throw new LdapOperationException(
            ResultCode.UNWILLING_TO_PERFORM, "the present password is not deleted if it is there");
      }
    }
    long count = places.stream().filter(place -> !place.isDelete()).count();
    if (count > 1 || hasHashed && count > 0) {
      throw PasswordSubject.hasOne();
    }
  }

  /** Returns whether the request has a password to be deleted: those come first. */
  @Override
  public boolean deletes() {
    return places.getFirst().isDelete();
  }

  @Override
  public @Nullable Dn checkedBy() {
    return isJudged && !hasHashed ? policy() : null;
  }

  /** Returns the policy of the entry; null for none. */
  private @Nullable Dn policy() {
    return gate == null ? null : gate.subject().standing().name();
  }

  @Override
  public boolean provesOld() {
    return provesOld;
  }

  @Override
  public boolean hasMatched() {
    return hasMatched;
  }

  @Override
  public boolean isSlow() {
    return isHashing && directory.updating().passwordScheme().isSlow() || isJudged || deletes();
  }

  @Override
  public void hash() throws LdapOperationException {
    requireFew();
    for (Place place : places) {
      place.results().add(hashed(place));
    }
  }

  @Override
  public void hash(Sequence steps) throws LdapOperationException {
    requireFew();
    for (int i = 0; i < places.size(); i++) {
      if (i > 0) {
        steps.nextTurn();
      }
      Place place = places.get(i);
      if (place.isDelete()) {
        place.results().addAll(deleted(steps, place));
        continue;
      }
      if (isJudged && gate != null) {
        gate.requireNew(steps, place.password());
      }
      place.results().add(steps.here(() -> hashed(place)));
    }
    steps.requireWanted();
  }

  private void requireFew() throws LdapOperationException {
    if (places.size() > MOST) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + MOST + " passwords in clear text");
    }
  }

  /**
   * Returns the stored values that a password to be deleted stands for: an attempt of its own,
   * whoever deletes it. Of what the gate has not seen, nothing is deleted, and the writer finds no
   * such value.
   */
  private List<byte[]> deleted(Sequence steps, Place place) throws LdapOperationException {
    if (isJudged && provesOld && !place.isAsStored() && policy() != null) {
      throw PasswordSubject.hasOne();
    }
    PasswordGate opened = gate;
    if (opened == null) {
      return List.of(unknown(place.password()));
    }
    boolean isPresent = isJudged && !provesOld && !place.isAsStored();
    try {
      List<byte[]> matching =
          isPresent
              ? opened.provePresent(steps, place.password())
              : proveElse(opened, steps, place);
      hasMatched = true;
      provesOld |= isPresent;
      return matching;
    } catch (LdapOperationException e) {
      if (!isPermissive || e.reason() != RefusalReason.WRONG_PASSWORD) {
        throw e;
      }
      return List.of(unknown(place.password()));
    }
  }

  /** Compares a password that is deleted, but not to prove who does so. */
  private List<byte[]> proveElse(PasswordGate opened, Sequence steps, Place place)
      throws LdapOperationException {
    List<byte[]> stored = steps.here(() -> read(opened, place.attribute()));
    List<byte[]> left = earlier.isEmpty() ? stored : afterOthers(place.attribute(), stored);
    PasswordGate.Kind kind =
        place.isAsStored() ? PasswordGate.Kind.DELETED_AS_STORED : PasswordGate.Kind.DELETED;
    return opened.proveDeleted(steps, place.password(), left, stored, kind);
  }

  /** Returns a value that no entry has: a hash with a salt of its own. */
  private byte[] unknown(byte[] password) {
    return PasswordHash.create(PasswordScheme.SSHA, password, directory.updating().random());
  }

  /** Returns the hash of a password; the same one for another value that is the same. */
  private byte[] hashed(Place place) throws LdapOperationException {
    if (!isHashing) {
      return place.password();
    }
    for (Place before : places) {
      if (before.list() == place.list()
          && !before.results().isEmpty()
          && Arrays.equals(before.password(), place.password())) {
        return before.results().getFirst();
      }
    }
    return directory.updating().hash(place.password());
  }

  /** Returns the stored values of an attribute. */
  private List<byte[]> read(PasswordGate opened, AttributeDescription attribute)
      throws LdapOperationException {
    OperationScratch scratch = directory.scratch();
    List<byte[]> found = new ArrayList<>();
    try (ReadTransaction read = opened.account().backend().beginRead()) {
      EntryView view = scratch.view;
      boolean isThere = read.read(read.find(opened.name()), view);
      for (int i = 0; isThere && i < view.attributeCount(); i++) {
        if (read.attributes().description(view.attributeId(i)).equals(attribute)) {
          scratch.values.open(view, i);
          while (scratch.values.next()) {
            add(scratch.values.value(), found);
          }
        }
      }
    }
    return found;
  }

  /** Returns what the earlier requests of the transaction leave of the stored values. */
  private List<byte[]> afterOthers(AttributeDescription attribute, List<byte[]> stored)
      throws LdapOperationException {
    List<byte[]> left = new ArrayList<>(stored);
    for (Request other : earlier) {
      if (other instanceof Request.Add || other instanceof Request.Delete) {
        left.clear();
      }
      for (SentPasswords.Sent sent : SentPasswords.in(directory.schema(), other)) {
        if (sent.description().equals(attribute)) {
          apply(sent, left);
        }
      }
    }
    return left;
  }

  private static void apply(SentPasswords.Sent sent, List<byte[]> left)
      throws LdapOperationException {
    List<byte[]> values = sent.values();
    boolean isOfAll = sent.kind() == SentPasswords.DELETE && values.isEmpty();
    if (isOfAll || sent.kind() == SentPasswords.REPLACE) {
      left.clear();
    }
    for (byte[] value : values) {
      if (sent.kind() == SentPasswords.DELETE) {
        left.removeIf(each -> Arrays.equals(each, value));
      } else {
        add(value, left);
      }
    }
  }

  private static void add(byte[] value, List<byte[]> found) throws LdapOperationException {
    if (found.size() == MOST) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "the entry has more than " + MOST + " passwords to compare one in clear text with");
    }
    found.add(value);
  }

  @Override
  public Request request() {
    return switch (request) {
      case Request.Add add -> {
        List<Request.AttributeValues> attributes = new ArrayList<>(add.attributes());
        for (int i = 0; i < attributes.size(); i++) {
          attributes.set(i, replaced(i, attributes.get(i)));
        }
        yield new Request.Add(add.messageId(), add.name(), attributes, add.controls());
      }
      case Request.Modify modify -> {
        List<Request.Change> changes = new ArrayList<>(modify.changes());
        for (int i = 0; i < changes.size(); i++) {
          Request.Change change = changes.get(i);
          changes.set(i, new Request.Change(change.kind(), replaced(i, change.attribute())));
        }
        yield new Request.Modify(modify.messageId(), modify.name(), changes, modify.controls());
      }
      default -> request;
    };
  }

  private Request.AttributeValues replaced(int list, Request.AttributeValues attribute) {
    List<Place> inList = places.stream().filter(place -> place.list() == list).toList();
    if (inList.isEmpty()) {
      return attribute;
    }
    List<byte[]> values = new ArrayList<>(attribute.values().size());
    for (int i = 0; i < attribute.values().size(); i++) {
      int at = i;
      values.addAll(
          inList.stream()
              .filter(place -> place.index() == at)
              .findFirst()
              .map(Place::results)
              .orElse(List.of(attribute.values().get(i))));
    }
    return new Request.AttributeValues(attribute.attribute(), values);
  }
}
