package org.nyala.core.directory;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.rules.EntryRules;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.ChangePolicy;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.core.update.OperationalAttributes;

/**
 * The services by which entries are changed, under one schema and one policy.
 *
 * <p>Thread-safe.
 */
public final class UpdateServices {
  private final UpdateSettings settings;
  private final WriteAccess writeAccess;
  private final OperationalAttributes operational;
  private final ChangePolicy changePolicy;
  private final EntryRules rules;
  private final StructureRules structureRules;

  /** Creates the services for the terms in force. */
  UpdateServices(
      Schema schema,
      NamingContexts contexts,
      AccessSettings terms,
      UpdateSettings settings,
      List<ChangeRule> changeRules,
      ReadServices reading) {
    this.settings = settings;
    this.writeAccess = new WriteAccess(contexts, terms.access(), settings);
    this.operational = new OperationalAttributes(schema);
    this.changePolicy =
        new ChangePolicy(
            changeRules, operational, terms.limits().updates().ruleLookups(), settings.consumed());
    this.rules =
        new EntryRules(
            schema,
            terms.limits().updates().valuesPerAttribute(),
            type -> !reading.isStored(type),
            settings.hashBounds(),
            type -> !type.isSecret());
    this.structureRules = new StructureRules(schema, rules);
  }

  /** Returns the rules for which identity may change which entry. */
  public WriteAccess writeAccess() {
    return writeAccess;
  }

  /** Returns the operational attributes that the server itself writes into entries. */
  public OperationalAttributes operational() {
    return operational;
  }

  /** Returns the policy that the writers apply to changes. */
  ChangePolicy changePolicy() {
    return changePolicy;
  }

  /** Returns the rules for the content of entries. */
  public EntryRules rules() {
    return rules;
  }

  /** Returns the rules for the places of entries. */
  public StructureRules structureRules() {
    return structureRules;
  }

  /** A name for an entry that never changes; another one at each call. */
  public UUID newUuid() {
    return settings.uuids().get();
  }

  /** Returns the scheme by which new passwords are stored. */
  public PasswordScheme passwordScheme() {
    return settings.passwordScheme();
  }

  /** Returns whether passwords in clear text are hashed before they are stored. */
  public boolean hashesClearText() {
    return settings.hashesClearText();
  }

  /**
   * Returns the hash of a password as it is stored; may take long.
   *
   * @throws LdapOperationException constraintViolation for one that the scheme does not accept
   */
  public byte[] hash(byte[] password) throws LdapOperationException {
    return accepted(
        () ->
            PasswordHash.create(
                settings.passwordScheme(),
                settings.hashBounds().ofNew(),
                password,
                settings.random()));
  }

  /**
   * Returns the hash of a password, verified, to be stored in the place of a value that has matched
   * it; takes twice as long as {@link #hash}.
   *
   * @throws LdapOperationException constraintViolation for one that the scheme does not accept
   * @throws IllegalStateException if the hash does not match
   */
  public byte[] verifiedHash(byte[] password) throws LdapOperationException {
    return accepted(
        () ->
            PasswordHash.createVerified(
                settings.passwordScheme(),
                settings.hashBounds().ofNew(),
                password,
                settings.random()));
  }

  private static byte[] accepted(Supplier<byte[]> hash) throws LdapOperationException {
    try {
      return hash.get();
    } catch (IllegalArgumentException e) {
      throw new LdapOperationException(
          ResultCode.CONSTRAINT_VIOLATION, String.valueOf(e.getMessage()));
    }
  }

  /** Returns the number of this server in the changes that it makes. */
  public int serverId() {
    return settings.serverId();
  }

  /** Returns whether nothing is to be changed as long as the server runs. */
  public boolean isReadOnly() {
    return settings.readOnly();
  }

  /** Returns whether nothing is to be changed now: read-only for good, or for a while. */
  public boolean isClosed() {
    return settings.readOnly() || settings.consumed().isFrozen();
  }

  /** Returns the naming contexts that another server changes. */
  public ConsumedContexts consumed() {
    return settings.consumed();
  }

  /**
   * Returns whether the server itself changes no entry of a store: it is read-only, or another
   * server changes all of them.
   */
  private boolean keepsNothingIn(Backend backend) {
    return settings.readOnly() || settings.consumed().holdAll(backend.namingContexts());
  }

  /**
   * Returns whether the server itself does not change an entry: it is read-only, or another server
   * changes it.
   *
   * @param schema the schema of the store
   */
  public boolean keepsNothingOf(Backend backend, long entryId, Schema schema) {
    if (keepsNothingIn(backend)) {
      return true;
    }
    if (settings.consumed().isEmpty()) {
      return false;
    }
    try (ReadTransaction transaction = backend.beginRead()) {
      Dn name = transaction.readAside(entryId, view -> DnParser.parseStored(schema, view.dn()));
      return name != null && settings.consumed().holds(name);
    }
  }

  /** Returns the time of day. */
  public Instant instant() {
    return settings.clock().instant();
  }

  /** Returns a generator of random numbers that are not predictable. */
  public RandomGenerator random() {
    return settings.random();
  }

  /** Returns the bounds of the work that stored passwords may require. */
  public HashBounds hashBounds() {
    return settings.hashBounds();
  }
}
