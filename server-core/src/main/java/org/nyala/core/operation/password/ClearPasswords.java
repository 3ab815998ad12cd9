package org.nyala.core.operation.password;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.session.Operation;

/**
 * The passwords in clear text in an add or a modify: they are hashed before they are stored, as by
 * slapd's {@code ppolicy_hash_cleartext}. One to be deleted, or added once more, stands for the
 * stored values that it matches when the request comes. Each step takes long.
 *
 * <p>Confined to one running operation.
 */
public final class ClearPasswords {
  /** The most passwords of one request, and the most stored ones that each is compared with. */
  private static final int MOST = 16;

  private static final int ADD = 0;
  private static final int DELETE = 1;

  private final OperationContext directory;
  private final Request request;
  private final List<Place> places;
  private final boolean isTooMany;
  private final boolean isHashing;
  private int done;
  private boolean isComparing;
  private @Nullable PasswordSubject subject;
  private @Nullable OldPassword old;
  private @Nullable NewPasswordCheck check;
  private boolean provesOld;
  private boolean isCharged;
  private final boolean hasHashed;

  /** A password in a request, and the values that replace it. */
  private static final class Place {
    /** The number of the attribute or change. */
    final int list;

    /** The number of the value in it. */
    final int value;

    final AttributeDescription attribute;
    final byte[] password;
    final boolean isCompared;
    final boolean isDelete;

    /** True if it is not in clear text, and left as it is. */
    final boolean isHashed;

    final List<byte[]> results = new ArrayList<>(1);
    @Nullable List<byte[]> stored;
    int compared;

    Place(
        int list,
        int value,
        AttributeDescription attribute,
        byte[] password,
        int kind,
        boolean isHashed) {
      this.isHashed = isHashed;
      this.list = list;
      this.value = value;
      this.attribute = attribute;
      this.password = password;
      this.isDelete = kind == DELETE;
      this.isCompared = kind == DELETE || kind == ADD;
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
   * Finds the passwords in clear text; null if there are none.
   *
   * @param always true if they are hashed whatever the configuration says
   */
  public static @Nullable ClearPasswords in(
      OperationContext directory, Request request, boolean always) {
    boolean isHashing = always || directory.updating().hashesClearText();
    List<Place> places = new ArrayList<>(0);
    switch (request) {
      case Request.Add add -> {
        for (int i = 0; i < add.attributes().size(); i++) {
          find(directory, i, add.attributes().get(i), -1, places);
        }
      }
      case Request.Modify modify -> {
        for (int i = 0; i < modify.changes().size(); i++) {
          Request.Change change = modify.changes().get(i);
          find(directory, i, change.attribute(), change.kind(), places);
        }
      }
      default -> {}
    }
    // Old ones first: they prove who sends the others.
    List<Place> clear = new ArrayList<>(places.size());
    places.stream().filter(place -> place.isDelete).forEach(clear::add);
    places.stream().filter(place -> !place.isDelete && !place.isHashed).forEach(clear::add);
    boolean hasHashed = places.stream().anyMatch(place -> place.isHashed);
    return clear.isEmpty()
        ? null
        : new ClearPasswords(directory, request, clear, isHashing, hasHashed);
  }

  /** Finds those of one attribute, up to one more than there may be. */
  private static void find(
      OperationContext directory,
      int list,
      Request.AttributeValues attribute,
      int kind,
      List<Place> places) {
    AttributeDescription description =
        AttributeDescription.parse(directory.schema(), attribute.attribute());
    if (description == null || !AccessPolicy.isPassword(description.type())) {
      return;
    }
    for (int i = 0; i < attribute.values().size() && places.size() <= MOST; i++) {
      byte[] value = attribute.values().get(i);
      boolean isHashed = PasswordHash.namesScheme(value);
      if (value.length > 0 && (!isHashed || kind != DELETE)) {
        places.add(new Place(list, i, description, value, kind, isHashed));
      }
    }
  }

  /** Lets passwords be compared with those that are stored; the client may change these. */
  public void compareWithStored() {
    isComparing = isHashing;
  }

  /**
   * Lets the policy of the entry decide about the passwords of a client that does not manage them.
   *
   * @param about the entry as it is
   * @param guarded the check of its present password, if the request has it
   * @throws LdapOperationException constraintViolation for several new passwords
   */
  public void by(PasswordSubject about, OldPassword guarded) throws LdapOperationException {
    subject = about;
    old = guarded;
    long count = places.stream().filter(place -> !place.isDelete).count();
    if (about.standing().name() != null && (count > 1 || hasHashed && count > 0)) {
      throw new LdapOperationException(
          ResultCode.CONSTRAINT_VIOLATION, "an account with a password policy has one password");
    }
  }

  /** Returns whether the request has a password to be deleted, which is to be the present one. */
  public boolean hasOld() {
    return places.getFirst().isDelete;
  }

  /** Returns the policy that has looked at all new passwords; null for none. */
  public @Nullable Dn checkedBy() {
    PasswordSubject about = subject;
    return about == null || hasHashed ? null : about.standing().name();
  }

  /** Returns whether the client has proved the present password. */
  public boolean provesOld() {
    return provesOld;
  }

  /** Gives back what is held; the operation has ended. Idempotent. */
  public void close() {
    OldPassword checking = old;
    if (checking != null) {
      checking.close();
    }
  }

  /** Returns whether a step takes long: the stored passwords may be of slow schemes, too. */
  public boolean isSlow() {
    return isHashing && directory.updating().passwordScheme().isSlow()
        || subject != null
        || places.stream().anyMatch(place -> place.isCompared);
  }

  /** Returns whether every password is replaced. */
  public boolean isDone() {
    return done == places.size();
  }

  /**
   * Compares a password with one that is stored, checks it or hashes it.
   *
   * @return false if the operation is parked, and not to be touched any more
   * @throws LdapOperationException constraintViolation for a password that cannot be hashed or that
   *     the policy refuses, unwillingToPerform for a wrong one, adminLimitExceeded for too many
   */
  public boolean step(Operation operation) throws LdapOperationException {
    if (isTooMany) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + MOST + " passwords in clear text");
    }
    Place place = places.get(done);
    if (subject != null) {
      return policedStep(operation, place, subject);
    }
    List<byte[]> stored = isComparing && place.isCompared ? stored(place) : List.of();
    if (place.compared < stored.size()) {
      byte[] value = stored.get(place.compared++);
      if (PasswordHash.parse(value, directory.updating().hashBounds())
          .matches(place.password, operation::isAbandoned)) {
        place.results.add(value);
      }
      return true;
    }
    if (place.results.isEmpty()) {
      place.results.add(place.isDelete ? place.password : hashed(place));
    }
    done++;
    return true;
  }

  /** Makes a step by the policy: a password to be deleted is the present one, or an attempt. */
  private boolean policedStep(Operation operation, Place place, PasswordSubject about)
      throws LdapOperationException {
    OldPassword checking = old;
    if (place.isDelete && checking != null) {
      if (provesOld && about.standing().name() == null) {
        // Without a policy an entry may have several: what is not the first is deleted as it is.
        place.results.add(place.password);
        done++;
        return true;
      }
      if (provesOld) {
        throw new LdapOperationException(
            ResultCode.CONSTRAINT_VIOLATION, "an account with a password policy has one password");
      }
      OldPassword.Step step = checking.step(operation, place.password);
      if (step == OldPassword.Step.RIGHT) {
        provesOld = true;
        place.results.addAll(checking.matching());
        done++;
      }
      return step != OldPassword.Step.PARKED;
    }
    NewPasswordCheck checks = check;
    if (checks == null) {
      checks =
          new NewPasswordCheck(
              about,
              directory.passwordPolicy().checks(),
              directory.updating().hashBounds(),
              place.password);
      check = checks;
    }
    if (!checks.isDone()) {
      if (!isCharged && !provesOld && checks.compares() && checking != null) {
        // Each answer is about former passwords.
        isCharged = true;
        checking.charge();
      }
      checks.step(operation::isAbandoned);
      return true;
    }
    place.results.add(hashed(place));
    check = null;
    done++;
    return true;
  }

  /** Returns the hash of a password; the same one for another value that is the same. */
  private byte[] hashed(Place place) throws LdapOperationException {
    if (!isHashing) {
      return place.password;
    }
    for (Place earlier : places.subList(0, done)) {
      if (earlier.list == place.list && Arrays.equals(earlier.password, place.password)) {
        return earlier.results.getFirst();
      }
    }
    return directory.updating().hash(place.password);
  }

  /** Returns the stored values of the place's attribute, which are read once. */
  private List<byte[]> stored(Place place) throws LdapOperationException {
    List<byte[]> known = place.stored;
    if (known == null) {
      known = read(((Request.Modify) request).name(), place.attribute);
      place.stored = known;
    }
    return known;
  }

  private List<byte[]> read(String name, AttributeDescription attribute)
      throws LdapOperationException {
    OperationScratch scratch = directory.scratch();
    Dn dn = scratch.names.parse(name);
    Backend backend = directory.contexts().backendOf(dn);
    List<byte[]> found = new ArrayList<>();
    if (backend == null) {
      return found;
    }
    try (ReadTransaction read = backend.beginRead()) {
      EntryView view = scratch.view;
      boolean isThere = read.read(read.find(dn), view);
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

  private static void add(byte[] value, List<byte[]> found) throws LdapOperationException {
    if (found.size() == MOST) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "the entry has more than " + MOST + " passwords to compare one in clear text with");
    }
    found.add(value);
  }

  /** Returns the request with other values instead of the passwords. */
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
