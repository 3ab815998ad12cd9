package org.nyala.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.StoreTransfer;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * The turn of the writer in which a copy of another member's state takes the place of the store's.
 *
 * <p>Confined to the writer's thread, once it was submitted.
 */
final class CopyUpdate implements Update {
  private final ReplicatedBackend store;
  private final StoreTransfer transfer;
  private final ClusterSettings settings;
  private final Path folder;
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  CopyUpdate(
      ReplicatedBackend store, StoreTransfer transfer, ClusterSettings settings, Path folder) {
    this.store = store;
    this.transfer = transfer;
    this.settings = settings;
    this.folder = folder;
  }

  /** Returns a stage that completes once the store has the copy, or fails. */
  CompletableFuture<Void> done() {
    return done;
  }

  @Override
  public boolean isAlone() {
    return true;
  }

  @Override
  public WriteTransaction begin(Backend backend) {
    try {
      transfer.replace(folder);
    } catch (IOException e) {
      throw StoreUnavailableException.ofTransaction(String.valueOf(e.getMessage()));
    }
    return store.inner().beginWrite();
  }

  @Override
  public LdapResult apply(UpdateContext context) {
    context.goOnAfter(context.transaction().largestCsns());
    context.replaced();
    return LdapResult.SUCCESS;
  }

  @Override
  public void answer(LdapResult result) {
    if (result.code() == ResultCode.SUCCESS) {
      settings.definitions().accept(store.definitions());
      done.complete(null);
    } else {
      done.completeExceptionally(
          new IllegalStateException("the copy was not taken: " + result.message()));
    }
  }
}
