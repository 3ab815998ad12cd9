package org.nyala.core.operation.update;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.NameResolution;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.session.Operation;

/**
 * The passwords in clear text in an add or a modify: they are hashed before they are stored, as by
 * slapd's {@code ppolicy_hash_cleartext}, and one to be deleted stands for the hash that it
 * matches. One is hashed at a time, as each takes long.
 *
 * <p>Confined to one running operation.
 */
final class ClearPasswords {
  /** The most passwords of one request, which occupies a hash thread for each. */
  private static final int MOST = 16;

  private static final int DELETE = 1;

  private final OperationContext directory;
  private final Request request;
  private final List<Place> places;
  private final List<byte[]> results = new ArrayList<>();
  private @Nullable List<byte[]> stored;

  /**
   * The place of a password in a request.
   *
   * @param list the number of the attribute or change
   * @param value the number of the value in it
   */
  private record Place(int list, int value, byte[] password, boolean isDelete) {}

  private ClearPasswords(OperationContext directory, Request request, List<Place> places) {
    this.directory = directory;
    this.request = request;
    this.places = places;
  }

  /**
   * Finds the passwords in clear text.
   *
   * @return null if there are none
   * @throws LdapOperationException adminLimitExceeded if there are too many
   */
  static @Nullable ClearPasswords in(OperationContext directory, Request request)
      throws LdapOperationException {
    if (!directory.updating().hashesClearText()) {
      return null;
    }
    List<Place> places = new ArrayList<>(0);
    switch (request) {
      case Request.Add add -> {
        for (int i = 0; i < add.attributes().size(); i++) {
          find(directory, i, add.attributes().get(i), false, places);
        }
      }
      case Request.Modify modify -> {
        for (int i = 0; i < modify.changes().size(); i++) {
          Request.Change change = modify.changes().get(i);
          find(directory, i, change.attribute(), change.kind() == DELETE, places);
        }
      }
      default -> {}
    }
    return places.isEmpty() ? null : new ClearPasswords(directory, request, places);
  }

  private static void find(
      OperationContext directory,
      int list,
      Request.AttributeValues attribute,
      boolean isDelete,
      List<Place> places)
      throws LdapOperationException {
    AttributeDescription description =
        AttributeDescription.parse(directory.schema(), attribute.attribute());
    if (description == null || !AccessPolicy.isHiddenFromAll(description.type())) {
      return;
    }
    for (int i = 0; i < attribute.values().size(); i++) {
      byte[] value = attribute.values().get(i);
      if (value.length > 0 && !PasswordHash.namesScheme(value)) {
        places.add(new Place(list, i, value, isDelete));
      }
    }
    if (places.size() > MOST) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + MOST + " passwords to hash");
    }
  }

  /** Returns whether every password is hashed. */
  boolean isDone() {
    return results.size() == places.size();
  }

  /**
   * Hashes the next password; may take long.
   *
   * @throws LdapOperationException constraintViolation for a password that cannot be hashed
   */
  void hashNext(Operation operation) throws LdapOperationException {
    Place next = places.get(results.size());
    results.add(
        next.isDelete ? matching(next.password, operation) : hash(directory, next.password));
  }

  /**
   * Returns the hash of a password as it is stored; may take long.
   *
   * @throws LdapOperationException constraintViolation for one that cannot be hashed
   */
  static byte[] hash(OperationContext directory, byte[] password) throws LdapOperationException {
    try {
      return PasswordHash.create(
          directory.updating().passwordScheme(), password, directory.updating().random());
    } catch (IllegalArgumentException e) {
      throw new LdapOperationException(
          ResultCode.CONSTRAINT_VIOLATION, String.valueOf(e.getMessage()));
    }
  }

  /** Returns the stored value that is the hash of a password; the password itself if none is. */
  private byte[] matching(byte[] password, Operation operation) throws LdapOperationException {
    List<byte[]> known = stored;
    if (known == null) {
      known = read(((Request.Modify) request).name());
      stored = known;
    }
    for (int i = 0; i < Math.min(known.size(), MOST); i++) {
      PasswordHash hash = PasswordHash.parse(known.get(i), directory.updating().hashBounds());
      if (hash.matches(password, operation::isAbandoned)) {
        return known.get(i);
      }
    }
    return password;
  }

  private List<byte[]> read(String name) throws LdapOperationException {
    OperationScratch scratch = directory.scratch();
    Dn dn = scratch.names.parse(name);
    Backend backend = directory.contexts().backendOf(dn);
    if (backend == null) {
      return List.of();
    }
    try (ReadTransaction read = backend.beginRead()) {
      if (!read.read(read.find(dn), scratch.view)) {
        return List.of();
      }
      return NameResolution.values(
          scratch.view,
          read.attributes(),
          directory.reading().selectors().userPassword(),
          scratch.values);
    }
  }

  /** Returns the request with hashes instead of the passwords. */
  Request request() {
    return switch (request) {
      case Request.Add add -> {
        List<Request.AttributeValues> attributes = new ArrayList<>(add.attributes());
        for (int i = 0; i < places.size(); i++) {
          Place place = places.get(i);
          attributes.set(place.list, with(attributes.get(place.list), place, results.get(i)));
        }
        yield new Request.Add(add.messageId(), add.name(), attributes, add.controls());
      }
      case Request.Modify modify -> {
        List<Request.Change> changes = new ArrayList<>(modify.changes());
        for (int i = 0; i < places.size(); i++) {
          Place place = places.get(i);
          Request.Change change = changes.get(place.list);
          changes.set(
              place.list,
              new Request.Change(change.kind(), with(change.attribute(), place, results.get(i))));
        }
        yield new Request.Modify(modify.messageId(), modify.name(), changes, modify.controls());
      }
      default -> request;
    };
  }

  private static Request.AttributeValues with(
      Request.AttributeValues attribute, Place place, byte[] value) {
    List<byte[]> values = new ArrayList<>(attribute.values());
    values.set(place.value, value);
    return new Request.AttributeValues(attribute.attribute(), values);
  }
}
