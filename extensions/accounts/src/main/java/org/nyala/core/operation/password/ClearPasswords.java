package org.nyala.core.operation.password;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.PasswordTarget;
import org.nyala.core.accounts.UpdatePasswords;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.PasswordAttempt;
import org.nyala.core.schema.SecretTypes;
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

  private static final int ADD = 0;
  private static final int DELETE = 1;
  private static final int REPLACE = 2;

  private final OperationContext directory;
  private final Request request;
  private final List<Place> places;
  private final boolean isTooMany;
  private final boolean isHashing;
  private @Nullable PasswordGate gate;
  private List<Request> earlier = List.of();
  private boolean isPermissive;
  private @Nullable PasswordSubject subject;
  private boolean provesOld;
  private boolean hasMatched;

  /** The attempt that permits to look at former passwords. */
  private @Nullable PasswordAttempt permit;

  private final boolean hasHashed;

  /** A password in a request, and the values that replace it. */
  private static final class Place {
    /** The number of the attribute or change. */
    final int list;

    /** The number of the value in it. */
    final int value;

    final AttributeDescription attribute;
    final byte[] password;
    final boolean isDelete;

    /** True if it is compared with stored values as it is, or left as it is. */
    final boolean isAsStored;

    final List<byte[]> results = new ArrayList<>(1);

    Place(
        int list,
        int value,
        AttributeDescription attribute,
        byte[] password,
        boolean isDelete,
        boolean isAsStored) {
      this.isAsStored = isAsStored;
      this.list = list;
      this.value = value;
      this.attribute = attribute;
      this.password = password;
      this.isDelete = isDelete;
    }
  }

  private ClearPasswords(
      OperationContext directory,
      Request request,
      List<Place> places,
      boolean isHashing,
      boolean hasHashed) {
    this.hasHashed = hasHashed;
    this.isHashing = isHashing;
    this.directory = directory;
    this.request = request;
    this.isTooMany = places.size() > MOST;
    this.places = places;
  }

  /**
   * Finds the passwords in clear text, and those that are deleted as they are stored; null if there
   * are none.
   *
   * @param always true if they are hashed whatever the configuration says
   * @param isRoot true for root, who sees what is stored: what it deletes as it is stored is left
   */
  public static @Nullable ClearPasswords in(
      OperationContext directory, Request request, boolean always, boolean isRoot) {
    boolean isHashing = always || directory.updating().hashesClearText();
    Finder finder = new Finder(directory, isHashing, isRoot);
    switch (request) {
      case Request.Add add -> {
        for (int i = 0; i < add.attributes().size(); i++) {
          finder.find(i, add.attributes().get(i), false);
        }
      }
      case Request.Modify modify -> {
        for (int i = 0; i < modify.changes().size(); i++) {
          Request.Change change = modify.changes().get(i);
          finder.find(i, change.attribute(), change.kind() == DELETE);
        }
      }
      default -> {}
    }
    List<Place> found = finder.inOrder();
    return found.isEmpty()
        ? null
        : new ClearPasswords(directory, request, found, isHashing, finder.hasHashed);
  }

  /** Finds the passwords of a request, up to one more than there may be. */
  private static final class Finder {
    private final OperationContext directory;
    private final boolean isHashing;
    private final boolean isRoot;
    private final List<Place> places = new ArrayList<>(0);
    boolean hasHashed;

    Finder(OperationContext directory, boolean isHashing, boolean isRoot) {
      this.directory = directory;
      this.isHashing = isHashing;
      this.isRoot = isRoot;
    }

    void find(int list, Request.AttributeValues attribute, boolean isDelete) {
      AttributeDescription description =
          AttributeDescription.parse(directory.schema(), attribute.attribute());
      if (description == null || !SecretTypes.isPassword(description.type())) {
        return;
      }
      for (int i = 0; i < attribute.values().size() && places.size() <= MOST; i++) {
        byte[] value = attribute.values().get(i);
        boolean isHashed = PasswordHash.namesScheme(value);
        hasHashed |= isHashed && !isDelete;
        boolean isAsStored = isDelete && (isHashed || !isHashing);
        if (value.length > 0 && (isDelete ? !isAsStored || !isRoot : !isHashed)) {
          places.add(new Place(list, i, description, value, isDelete, isAsStored));
        }
      }
    }

    /** Old ones first: they prove who sends the others. */
    List<Place> inOrder() {
      places.sort(Comparator.comparing((Place place) -> !place.isDelete));
      return places;
    }
  }

  @Override
  public void begin(
      Operation operation, PasswordTarget target, boolean isInTransaction, List<Request> others)
      throws LdapOperationException {
    long records = AccountRuntime.of(directory).attempts().records();
    try (ReadTransaction read = target.backend().beginRead()) {
      boolean isRuled = target.begin(read);
      if (isRuled && !isInTransaction) {
        target.requireRights();
      }
      PasswordSubject about = PasswordSubject.of(directory, target, read);
      earlier = others;
      if (about == null) {
        if (!earlier.isEmpty()) {
          // Of an entry that the transaction adds.
          open(operation, target, PasswordSubject.NONE, records, false);
        }
        return;
      }
      boolean isPoliced = about.standing().name() != null;
      boolean isUnasked = isRuled && isInTransaction;
      if (isUnasked && (isPoliced || deletes())) {
        // It is told about the passwords of the entry.
        target.requireRights();
      }
      boolean isAsked = !isUnasked || isPoliced;
      boolean isManaged = (isAsked || deletes()) && target.managesPasswords();
      open(operation, target, about, records, isManaged);
      if (isAsked && !isManaged) {
        require(operation, about, target.isOwn());
        by(about);
      }
    }
  }

  /** Lets passwords that are deleted be compared with those that are stored. */
  private void open(
      Operation operation,
      PasswordTarget target,
      PasswordSubject about,
      long records,
      boolean isManaged) {
    gate =
        new PasswordGate(
            directory, operation, target.backend(), target.name(), about, records, isManaged);
    isPermissive = operation.controls().has(ControlType.PERMISSIVE_MODIFY);
  }

  /** Makes the demands of the policy, before the new password is looked at. */
  private void require(Operation operation, PasswordSubject about, boolean isOwner)
      throws LdapOperationException {
    if (about.standing().name() == null || about.entryId() == 0) {
      return;
    }
    ChangeDemands.require(about, isOwner, hasOld(), directory.updating().instant());
    if (operation.controls().has(ControlType.NO_OP)) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "a new password is not tried without being set");
    }
    if (hasOld() && isPermissive) {
      // The present password might be another one by the turn, and be missed by nobody.
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the present password is not deleted if it is there");
    }
  }

  /**
   * Lets the policy of the entry decide about the passwords of a client that does not manage them.
   *
   * @param about the entry as it is
   * @throws LdapOperationException constraintViolation for several new passwords
   */
  private void by(PasswordSubject about) throws LdapOperationException {
    subject = about;
    long count = places.stream().filter(place -> !place.isDelete).count();
    if (about.standing().name() != null && (count > 1 || hasHashed && count > 0)) {
      throw new LdapOperationException(
          ResultCode.CONSTRAINT_VIOLATION, "an account with a password policy has one password");
    }
  }

  /** Returns whether the request has a password to be deleted, which is to be the present one. */
  private boolean hasOld() {
    return places.stream().anyMatch(place -> place.isDelete && !place.isAsStored);
  }

  @Override
  public boolean deletes() {
    return places.getFirst().isDelete;
  }

  @Override
  public @Nullable Dn checkedBy() {
    PasswordSubject about = subject;
    return about == null || hasHashed ? null : about.standing().name();
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
    return isHashing && directory.updating().passwordScheme().isSlow()
        || subject != null
        || places.stream().anyMatch(place -> place.isDelete);
  }

  @Override
  public void hash() throws LdapOperationException {
    requireFew();
    for (Place place : places) {
      place.results.add(hashed(place));
    }
  }

  @Override
  public void hash(Sequence steps) throws LdapOperationException {
    requireFew();
    for (Place place : places) {
      if (place != places.getFirst()) {
        steps.nextTurn();
      }
      if (place.isDelete) {
        place.results.addAll(deleted(steps, place));
        continue;
      }
      PasswordGate opened = gate;
      PasswordSubject about = subject;
      if (about != null && opened != null) {
        PasswordAttempt looking = permit == null ? opened.attempt() : permit;
        permit = looking;
        NewPasswordCheck.require(directory, about, looking, place.password, steps);
      }
      place.results.add(steps.here(() -> hashed(place)));
    }
    steps.requireWanted();
  }

  private void requireFew() throws LdapOperationException {
    if (isTooMany) {
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
    PasswordSubject about = subject;
    if (provesOld && !place.isAsStored && about != null && about.standing().name() != null) {
      throw new LdapOperationException(
          ResultCode.CONSTRAINT_VIOLATION, "an account with a password policy has one password");
    }
    PasswordGate opened = gate;
    if (opened == null) {
      return List.of(unknown(place.password));
    }
    boolean isPresent = about != null && !provesOld && !place.isAsStored;
    PasswordAttempt attempt = opened.attempt();
    List<byte[]> matching;
    try {
      matching =
          isPresent
              ? opened.provePresent(steps, attempt, place.password)
              : proveElse(opened, steps, attempt, place);
    } catch (LdapOperationException e) {
      if (!isPermissive || e.reason() != RefusalReason.WRONG_PASSWORD) {
        throw e;
      }
      return List.of(unknown(place.password));
    }
    hasMatched = true;
    if (isPresent) {
      provesOld = true;
      permit = attempt;
    }
    return matching;
  }

  /** Compares a password that is deleted, but not to prove who does so. */
  private List<byte[]> proveElse(
      PasswordGate opened, Sequence steps, PasswordAttempt attempt, Place place)
      throws LdapOperationException {
    List<byte[]> stored = steps.here(() -> read(place));
    List<byte[]> left = earlier.isEmpty() ? stored : afterOthers(place, new ArrayList<>(stored));
    PasswordGate.Kind kind =
        place.isAsStored ? PasswordGate.Kind.DELETED_AS_STORED : PasswordGate.Kind.DELETED;
    return opened.prove(steps, attempt, place.password, left, stored, kind);
  }

  /** Returns a value that no entry has: a hash with a salt of its own. */
  private byte[] unknown(byte[] password) {
    return PasswordHash.create(PasswordScheme.SSHA, password, directory.updating().random());
  }

  /** Returns the hash of a password; the same one for another value that is the same. */
  private byte[] hashed(Place place) throws LdapOperationException {
    if (!isHashing) {
      return place.password;
    }
    for (Place earlier : places) {
      if (earlier.list == place.list
          && !earlier.results.isEmpty()
          && Arrays.equals(earlier.password, place.password)) {
        return earlier.results.getFirst();
      }
    }
    return directory.updating().hash(place.password);
  }

  /** Returns the stored values of the place's attribute. */
  private List<byte[]> read(Place place) throws LdapOperationException {
    OperationScratch scratch = directory.scratch();
    Dn dn = scratch.names.parse(((Request.Modify) request).name());
    Backend backend = directory.contexts().backendOf(dn);
    List<byte[]> found = new ArrayList<>();
    if (backend == null) {
      return found;
    }
    try (ReadTransaction read = backend.beginRead()) {
      EntryView view = scratch.view;
      boolean isThere = read.read(read.find(dn), view);
      for (int i = 0; isThere && i < view.attributeCount(); i++) {
        if (read.attributes().description(view.attributeId(i)).equals(place.attribute)) {
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
  private List<byte[]> afterOthers(Place place, List<byte[]> stored) throws LdapOperationException {
    for (Request other : earlier) {
      switch (other) {
        case Request.Add add -> {
          stored.clear();
          for (Request.AttributeValues attribute : add.attributes()) {
            apply(ADD, attribute, place, stored);
          }
        }
        case Request.Modify modify -> {
          for (Request.Change change : modify.changes()) {
            apply(change.kind(), change.attribute(), place, stored);
          }
        }
        case Request.Delete _ -> stored.clear();
        default -> {}
      }
    }
    return stored;
  }

  private void apply(int kind, Request.AttributeValues attribute, Place place, List<byte[]> stored)
      throws LdapOperationException {
    AttributeDescription description =
        AttributeDescription.parse(directory.schema(), attribute.attribute());
    if (!place.attribute.equals(description)) {
      return;
    }
    if (kind == DELETE) {
      boolean isWhole = attribute.values().isEmpty();
      stored.removeIf(
          value ->
              isWhole || attribute.values().stream().anyMatch(each -> Arrays.equals(each, value)));
      return;
    }
    if (kind == REPLACE) {
      stored.clear();
    }
    for (byte[] value : attribute.values()) {
      add(value, stored);
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
    if (places.stream().noneMatch(place -> place.list == list)) {
      return attribute;
    }
    List<byte[]> values = new ArrayList<>(attribute.values().size());
    for (int i = 0; i < attribute.values().size(); i++) {
      int at = i;
      List<byte[]> results =
          places.stream()
              .filter(place -> place.list == list && place.value == at)
              .findFirst()
              .map(place -> place.results)
              .orElse(List.of(attribute.values().get(i)));
      values.addAll(results);
    }
    return new Request.AttributeValues(attribute.attribute(), values);
  }
}
