package org.nyala.core.operation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.NameResolution;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.RootAccount;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.extended.AuthorizationIds;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;

/**
 * A simple bind (RFC 4511, section 4.2; RFC 4513, section 5.1).
 *
 * <p>Confined to one running operation. A name that does not exist, one without a password and a
 * wrong password get the same answer after the same work.
 */
final class BindOperation implements OperationBody {
  static final Set<ControlType> CONTROLS =
      Set.of(ControlType.AUTHORIZATION_IDENTITY, ControlType.SESSION_TRACKING);

  /** The control that returns the authorization identity (RFC 3829, section 2). */
  private static final String AUTHORIZATION_IDENTITY_RESPONSE = "2.16.840.1.113730.3.4.15";

  private static final int PROTOCOL_VERSION = 3;

  /** The wording of slapd: client libraries rely on it, as the code alone is ambiguous. */
  private static final String UNAUTHENTICATED =
      "unauthenticated bind (DN with no password) disallowed";

  private final OperationContext directory;
  private final Request.Bind request;
  private RequestControls controls = RequestControls.NONE;
  private @Nullable Attempt attempt;
  private int checked;
  private boolean proved;

  /** The claimed identity, and the passwords that would prove it; without an identity none does. */
  private record Attempt(@Nullable BoundIdentity identity, List<PasswordHash> passwords) {
    boolean isSlow() {
      for (PasswordHash password : passwords) {
        if (password.isSlow()) {
          return true;
        }
      }
      return false;
    }

    boolean isUsable() {
      for (PasswordHash password : passwords) {
        if (password.isUsable()) {
          return true;
        }
      }
      return false;
    }
  }

  BindOperation(OperationContext directory, Request.Bind request) {
    this.directory = directory;
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    Attempt begun = attempt;
    if (begun != null) {
      return answer(operation, begun);
    }
    check(operation);
    if (request.name().isEmpty()) {
      operation.sink().bindResult(success(BoundIdentity.ANONYMOUS), null);
      return Outcome.DONE;
    }
    Attempt started = begin(directory.scratch());
    if (started.isSlow()) {
      attempt = started;
      operation.moveTo(Lane.HASH);
      return Outcome.YIELDED;
    }
    return answer(operation, started);
  }

  private void check(Operation operation) throws LdapOperationException {
    controls = operation.controls();
    if (request.version() != PROTOCOL_VERSION) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "only LDAP version 3 is spoken here");
    }
    if (request.saslMechanism() != null) {
      throw new LdapOperationException(
          ResultCode.AUTH_METHOD_NOT_SUPPORTED, "no SASL mechanism is offered");
    }
    boolean hasPassword = request.credentials().length > 0;
    if (hasPassword) {
      checkStrength(operation.session().connection());
    }
    if (request.name().isEmpty() && hasPassword) {
      throw invalidCredentials();
    }
    if (!request.name().isEmpty() && !hasPassword) {
      throw new LdapOperationException(ResultCode.UNWILLING_TO_PERFORM, UNAUTHENTICATED);
    }
  }

  /** Refuses a password that has come over a network before it is looked at. */
  private void checkStrength(ClientConnection connection) throws LdapOperationException {
    int bits = directory.minimumStrength().ofBind(connection.isOnThisMachine());
    if (connection.strengthBits() < bits) {
      throw new LdapOperationException(
          ResultCode.CONFIDENTIALITY_REQUIRED,
          "use StartTLS or ldaps: a password takes encryption of "
              + bits
              + " bits (security.minimumStrength.simpleBind)");
    }
  }

  private Outcome answer(Operation operation, Attempt tried) throws LdapOperationException {
    if (!check(operation, tried.passwords())) {
      return Outcome.YIELDED;
    }
    BoundIdentity identity = tried.identity();
    if (!proved || identity == null) {
      throw invalidCredentials();
    }
    operation.establish(identity);
    operation.sink().bindResult(success(identity), null);
    return Outcome.DONE;
  }

  /**
   * Checks every password, so that the time does not reveal the one that matched: one slow check in
   * each slice, for as long as the client waits for the answer.
   *
   * @return true if all are checked
   */
  private boolean check(Operation operation, List<PasswordHash> passwords) {
    boolean wasSlow = false;
    while (checked < passwords.size() && !wasSlow) {
      PasswordHash password = passwords.get(checked++);
      proved |= password.matches(request.credentials(), operation::isAbandoned);
      wasSlow = password.isSlow();
    }
    return checked == passwords.size() && !operation.isAbandoned();
  }

  private LdapResult success(BoundIdentity identity) {
    if (!controls.has(ControlType.AUTHORIZATION_IDENTITY)) {
      return LdapResult.SUCCESS;
    }
    byte[] authorization = AuthorizationIds.encode(identity);
    return LdapResult.SUCCESS.with(
        List.of(new ResponseControl(AUTHORIZATION_IDENTITY_RESPONSE, authorization)));
  }

  private static LdapOperationException invalidCredentials() {
    return new LdapOperationException(LdapResult.of(ResultCode.INVALID_CREDENTIALS));
  }

  private Attempt begin(OperationScratch scratch) throws LdapOperationException {
    Dn name = scratch.names.parse(request.name());
    RootAccount root = directory.root().orElse(null);
    if (root != null && root.dn().equals(name)) {
      directory.runtime().decoys().note(root.dn(), List.of(root.password()));
      return new Attempt(new BoundIdentity(root.dn(), true), List.of(root.password()));
    }
    Attempt known = known(scratch, name);
    if (known == null || !known.isUsable()) {
      return new Attempt(null, directory.runtime().decoys().of(name));
    }
    directory.runtime().decoys().note(name, known.passwords());
    return known;
  }

  /**
   * Returns the credentials that the entry of this name accepts; null if there is no such entry.
   */
  private @Nullable Attempt known(OperationScratch scratch, Dn name) throws LdapOperationException {
    Backend backend = directory.contexts().backendOf(name);
    if (backend == null) {
      return null;
    }
    try (ReadTransaction transaction = backend.beginRead()) {
      long id =
          new NameResolution(directory.reading(), scratch, false, null).find(transaction, name);
      EntryView view = scratch.view;
      if (!transaction.read(id, view)) {
        return null;
      }
      List<byte[]> values =
          NameResolution.values(
              view,
              transaction.attributes(),
              directory.reading().selectors().userPassword(),
              scratch.values);
      List<PasswordHash> passwords = new ArrayList<>(values.size());
      for (byte[] value : values) {
        passwords.add(directory.password(name, value));
      }
      return new Attempt(new BoundIdentity(asStored(scratch, view, name), false), passwords);
    } catch (LdapOperationException e) {
      // A client with a password is never referred elsewhere (RFC 3296, section 5.6.1).
      if (e.result().code() == ResultCode.NO_SUCH_OBJECT
          || e.result().code() == ResultCode.REFERRAL) {
        return null;
      }
      throw e;
    }
  }

  /** The name in the entry's own spelling, however the client wrote it. */
  private static Dn asStored(OperationScratch scratch, EntryView view, Dn name)
      throws LdapOperationException {
    byte[] stored = view.dn();
    return Arrays.equals(stored, name.raw())
        ? name
        : scratch.names.parse(new String(stored, StandardCharsets.UTF_8));
  }
}
