package org.nyala.core.operation.update;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.accounts.UpdatePasswords;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.rules.Presented;
import org.nyala.core.session.OpenTransactions;
import org.nyala.core.session.Operation;
import org.nyala.core.session.PreparedUpdate;
import org.nyala.core.session.Sequence;

/**
 * The part of an add or a modify with passwords before it is prepared: they are compared, checked
 * and hashed, by a {@link Sequence} if that takes long.
 *
 * <p>Confined to one running operation.
 */
final class PasswordStage {
  private final OperationContext directory;
  private final Requester requester;
  private final OpenTransactions.@Nullable Place place;
  private final @Nullable UpdatePasswords passwords;
  private @Nullable OwnPasswordCheck check;
  private @Nullable List<PreparedUpdate> earlier;
  private @Nullable Presented<? extends PreparedUpdate> asking;
  private @Nullable Sequence steps;
  private boolean isDone;

  private PasswordStage(
      OperationContext directory,
      Requester requester,
      OpenTransactions.@Nullable Place place,
      @Nullable OwnPasswordCheck check,
      @Nullable UpdatePasswords passwords) {
    this.directory = directory;
    this.requester = requester;
    this.place = place;
    this.check = check;
    this.passwords = passwords;
  }

  /**
   * Returns the stage of a request; null if it has no passwords to be looked at.
   *
   * @param place the place of the update in its transaction; null if it is in none
   * @throws LdapOperationException to refuse the request
   */
  static @Nullable PasswordStage of(
      OperationContext directory,
      Operation operation,
      Requester requester,
      OpenTransactions.@Nullable Place place)
      throws LdapOperationException {
    Request request = operation.request();
    BoundIdentity identity = requester.identity();
    boolean isOwn = directory.accounts().isOwnPassword(request, identity);
    UpdatePasswords found =
        directory
            .accounts()
            .passwords(request, isOwn || requester.isRuled(directory), identity.isRoot());
    if (found == null && !isOwn) {
      return null;
    }
    OwnPasswordCheck check =
        isOwn && request instanceof Request.Modify modify
            ? new OwnPasswordCheck(
                directory, modify, requester, operation.controls(), place != null)
            : null;
    return new PasswordStage(directory, requester, place, check, found);
  }

  /** Runs a slice, and returns its outcome; null once the passwords are done. */
  @Nullable Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    Sequence begun = steps;
    UpdatePasswords found = passwords;
    if (isDone) {
      return null;
    }
    if (begun != null) {
      return begun.run();
    }
    if (check != null && !check.go(operation, budget)) {
      return Outcome.YIELDED;
    }
    check = null;
    return found == null ? null : begin(operation, budget, found);
  }

  /** Requires the rights to the passwords, then hashes them, at once or by a sequence. */
  private @Nullable Outcome begin(Operation operation, SliceBudget budget, UpdatePasswords found)
      throws LdapOperationException {
    if (place != null && found.deletes() && earlier == null) {
      earlier = operation.session().transactions().before(place, operation);
      if (earlier == null) {
        return Outcome.PARKED;
      }
    }
    if (asking == null) {
      asking =
          UpdateOperation.prepareBy(
              directory, operation.request(), requester, operation.controls());
    }
    PreparedUpdate prepared =
        asking.go(new SlicePace(directory.nanoClock()).begin(operation, budget));
    if (prepared == null) {
      return Outcome.YIELDED;
    }
    if (!(prepared instanceof RuledUpdate update)) {
      throw new IllegalStateException("no update with passwords: " + prepared);
    }
    found.begin(
        operation,
        new RuledTarget(directory, update, requester),
        place != null,
        earlier(update.name()));
    if (!found.isSlow()) {
      found.hash();
      isDone = true;
      return null;
    }
    steps = new Sequence(operation, going -> hash(going, found));
    operation.moveTo(Lane.HASH);
    return Outcome.YIELDED;
  }

  private Sequence.LastStep hash(Sequence going, UpdatePasswords found)
      throws LdapOperationException {
    found.hash(going);
    isDone = true;
    return () -> {
      going.operation().moveTo(Lane.READ);
      return Outcome.YIELDED;
    };
  }

  /** Returns the requests before this one in its transaction about the entry of a name. */
  private List<Request> earlier(Dn name) {
    List<Request> found = new ArrayList<>(0);
    for (PreparedUpdate each : earlier == null ? List.<PreparedUpdate>of() : earlier) {
      if (each instanceof CurrentUpdate update && update.isAbout(name)) {
        found.add(update.request());
      }
    }
    return found;
  }

  /** Returns the request with what is to be stored; once the passwords are done. */
  Request request(Request sent) {
    return passwords == null ? sent : passwords.request();
  }

  /** Returns the client with what it has proved; once the passwords are done. */
  Requester requester() {
    return passwords == null
        ? requester
        : requester.checked(passwords.checkedBy(), passwords.provesOld());
  }

  /** Returns whether a password that the client deletes was one of the entry. */
  boolean hasMatched() {
    return passwords != null && passwords.hasMatched();
  }

  /** Ends what is under way; the operation has ended. Idempotent. */
  void close() {
    Sequence begun = steps;
    if (begun != null) {
      begun.close();
    }
  }
}
