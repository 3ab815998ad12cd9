package org.nyala.core.update;

import java.util.function.Consumer;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/**
 * The turn of a store's writer in which it takes note of the epochs that another server knows of a
 * naming context. If one of them is news, no later change is made here; the note makes that last.
 *
 * <p>Confined to one thread at a time, like all updates.
 */
public final class EpochNotice implements Update {
  private static final System.Logger LOG = System.getLogger(EpochNotice.class.getName());

  private final Dn suffix;
  private final ContextEpochs told;
  private final ConsumedContexts consumed;
  private final ChangeFeed feed;
  private final Consumer<LdapResult> then;
  private ContextEpochs after = ContextEpochs.NONE;
  private boolean isNews;

  /**
   * Prepares it.
   *
   * @param suffix the naming context
   * @param told the epochs that another server knows
   * @param feed told to have its followers ask again, which are to hear of it
   * @param then receives the result once the note is on disk, or cannot be stored: who has told of
   *     the epochs has to do so again then
   */
  public EpochNotice(
      Dn suffix,
      ContextEpochs told,
      ConsumedContexts consumed,
      ChangeFeed feed,
      Consumer<LdapResult> then) {
    this.suffix = suffix;
    this.told = told;
    this.consumed = consumed;
    this.feed = feed;
    this.then = then;
  }

  @Override
  public LdapResult apply(UpdateContext context) {
    ContextEpochs before = context.transaction().epochs(suffix);
    after = before.hear(told);
    isNews = after != before;
    if (isNews) {
      // Before the commit: what follows in the same one is refused, and if it fails, so is the
      // rest.
      consumed.supersede(suffix, after.heard());
      context.note(suffix, after);
    }
    return LdapResult.SUCCESS;
  }

  @Override
  public void answer(LdapResult result) {
    try {
      if (isNews && result.code() == ResultCode.SUCCESS) {
        LOG.log(
            System.Logger.Level.WARNING,
            "{0}: server {1} was promoted in epoch {2}, the data here is of epoch {3}: this server"
                + " changes nothing there",
            suffix,
            Integer.toString(after.heard().serverId()),
            Integer.toString(after.heard().number()),
            Integer.toString(after.ours().number()));
        feed.promoted(suffix);
      }
    } finally {
      then.accept(result);
    }
  }
}
