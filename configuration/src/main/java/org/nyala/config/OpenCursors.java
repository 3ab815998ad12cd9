package org.nyala.config;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;

/**
 * The cursors that an extension opens in a transaction while it checks a change.
 *
 * <p>Confined to the writer's thread.
 */
final class OpenCursors {
  private final List<EntryCursor> open = new ArrayList<>(0);
  private final ReadTransaction transaction;

  /** Begins to note the cursors of a transaction. */
  OpenCursors(ReadTransaction transaction) {
    this.transaction =
        proxy(ReadTransaction.class, (_, method, args) -> ask(transaction, method, args));
  }

  /** Returns the transaction to give to the extension. */
  ReadTransaction transaction() {
    return transaction;
  }

  private @Nullable Object ask(
      ReadTransaction target, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    if (method.getName().equals("close")) {
      throw new IllegalStateException("it has closed a transaction that is not its own");
    }
    Object result = call(target, method, args);
    return result instanceof EntryCursor cursor ? noted(cursor) : result;
  }

  private EntryCursor noted(EntryCursor cursor) {
    open.add(cursor);
    return proxy(
        EntryCursor.class,
        (_, method, args) -> {
          if (method.getName().equals("close")) {
            open.remove(cursor);
          }
          return call(cursor, method, args);
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Closes the cursors that are open; returns their number. */
  int closeAll() {
    int count = open.size();
    open.forEach(EntryCursor::close);
    open.clear();
    return count;
  }
}
