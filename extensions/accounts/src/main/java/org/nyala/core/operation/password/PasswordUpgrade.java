package org.nyala.core.operation.password;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.update.ModifyOperation;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.session.OperationClass;
import org.nyala.core.session.Session;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * The replacement of a stored password, after a bind has shown it, by a hash of the scheme for new
 * ones: first a task for the threads for hashes, then an update.
 *
 * <p>Nobody waits for it, and whatever is in its way ends it: another bind will come. It applies
 * only if the value that was checked is still there, and changes neither {@code modifiersName} nor
 * {@code modifyTimestamp}: the password is the one that the user has chosen.
 *
 * <p>Confined to one thread at a time.
 */
public final class PasswordUpgrade implements Task, Update {
  private static final System.Logger LOG = System.getLogger(PasswordUpgrade.class.getName());
  private static final int ADD = 0;
  private static final int DELETE = 1;

  /** The owner of all of them: together they have the share of hash threads that one client has. */
  private static final Object OWNER = new Object();

  private final OperationContext directory;
  private final Session session;
  private final Origin origin;
  private final byte[] password;
  private byte @Nullable [] hash;

  /**
   * The value that is to be replaced.
   *
   * <p>Immutable.
   *
   * @param backend the store
   * @param name the name of the entry
   * @param entryId its id
   * @param value the value as it is stored
   */
  public record Origin(Backend backend, Dn name, long entryId, byte[] value) {}

  /**
   * Creates an upgrade.
   *
   * @param session a session whose event loop it may use
   * @param password the password; copied, and overwritten once it is hashed
   */
  public PasswordUpgrade(
      OperationContext directory, Session session, Origin origin, byte[] password) {
    this.directory = directory;
    this.session = session;
    this.origin = origin;
    this.password = password.clone();
  }

  /**
   * Starts it, unless there are too many, or updates wait in numbers that will keep the writer busy
   * for a while. Never blocks.
   */
  public void start() {
    boolean isBusy =
        directory.runtime().writers().queued() > directory.limits().updates().writeQueue() / 2;
    if (isBusy
        || directory.updating().consumed().holds(origin.name())
        || !AccountRuntime.of(directory)
            .upgrades()
            .tryBegin(origin.entryId(), directory.nanoTime())) {
      Arrays.fill(password, (byte) 0);
      return;
    }
    session.resume(this);
  }

  @Override
  public Outcome run(SliceBudget budget) {
    try {
      hash = directory.updating().verifiedHash(password);
      directory.runtime().writers().submit(origin.backend(), this);
    } catch (LdapOperationException e) {
      failed(e);
    } catch (Throwable e) {
      failed(e);
      LOG.log(System.Logger.Level.WARNING, "a password could not be stored anew", e);
    } finally {
      Arrays.fill(password, (byte) 0);
    }
    return Outcome.DONE;
  }

  private void failed(Throwable reason) {
    AccountRuntime.of(directory).upgrades().ended();
    LOG.log(System.Logger.Level.DEBUG, "a password stays as it is stored: {0}", reason);
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    byte[] stronger = hash;
    if (stronger == null) {
      throw new IllegalStateException("not hashed");
    }
    return ModifyOperation.applyOfServer(
        directory.current(),
        context,
        origin.name(),
        origin.entryId(),
        List.of(change(DELETE, origin.value()), change(ADD, stronger)));
  }

  private static Request.Change change(int kind, byte[] value) {
    return new Request.Change(kind, new Request.AttributeValues("userPassword", List.of(value)));
  }

  @Override
  public void answer(LdapResult result) {
    AccountRuntime.of(directory).upgrades().ended();
    if (result.code() == ResultCode.SUCCESS) {
      session.metrics().passwordsUpgraded().increment();
    } else {
      LOG.log(System.Logger.Level.DEBUG, "a password stays as it is stored: {0}", result.code());
    }
  }

  @Override
  public Lane lane() {
    return Lane.HASH;
  }

  @Override
  public int costClass() {
    return OperationClass.BIND.number();
  }

  @Override
  public int connectionNumber() {
    return session.connectionNumber();
  }

  @Override
  public Object owner() {
    return OWNER;
  }

  @Override
  public void admitted() {
    throw new IllegalStateException("it needs no permit");
  }

  @Override
  public void continueOnLoop(Runnable continuation) {
    session.executeLater(continuation);
  }
}
