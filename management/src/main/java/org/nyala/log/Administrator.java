package org.nyala.log;

import java.security.Principal;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import javax.security.auth.Subject;
import org.jspecify.annotations.Nullable;

/**
 * An administrator who calls a bean.
 *
 * <p>Immutable.
 *
 * @param way how the call has come
 * @param user its name; empty if it is not known
 */
public record Administrator(Way way, String user) implements Principal {
  /** The way of a call. */
  public enum Way {
    /** From a client that has attached to the process, as the user of the server can. */
    PROCESS,
    /** Over the JMX port. */
    JMX,
    /** Over the HTTP port. */
    HTTP;

    /** Returns the name in logs. */
    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Cuts a long name. */
  public Administrator {
    user = LogText.cut(user);
  }

  @Override
  public String getName() {
    return user;
  }

  /** Calls beans on its behalf. */
  public <T> T call(Supplier<T> action) {
    Subject subject = new Subject(true, Set.of(this), Set.of(), Set.of());
    try {
      return Subject.callAs(subject, action::get);
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  /** Returns the one on whose behalf the current thread calls, if there is one. */
  public static Optional<Administrator> current() {
    @Nullable Subject subject = Subject.current();
    return subject == null
        ? Optional.empty()
        : subject.getPrincipals(Administrator.class).stream().findFirst();
  }
}
