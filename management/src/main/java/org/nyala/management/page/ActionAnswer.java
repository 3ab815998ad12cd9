package org.nyala.management.page;

/**
 * The end of an action.
 *
 * <p>Immutable.
 *
 * @param outcome what has become of it
 * @param json the answer to the page, with a sentence
 */
public record ActionAnswer(Outcome outcome, String json) {
  /** The end of an action. */
  public enum Outcome {
    /** It is done, or has begun. */
    DONE,
    /** There is no such action. */
    UNKNOWN,
    /** It makes no sense as it was asked for. */
    WRONG,
    /** It cannot be done now. */
    REFUSED,
    /** Others are being done. */
    BUSY,
    /** The server ends. */
    ENDING
  }

  /** Returns the end of an action that was not done. */
  static ActionAnswer of(Outcome outcome, String sentence) {
    return new ActionAnswer(outcome, sentence(outcome == Outcome.DONE, sentence).toString());
  }

  /** Returns the answer with one sentence. */
  public static String refusal(String sentence) {
    return sentence(false, sentence).toString();
  }

  private static PageJson sentence(boolean isDone, String sentence) {
    return begin(isDone, sentence).endObject();
  }

  /** Begins an answer, whose object is still to be ended. */
  static PageJson begin(boolean isDone, String sentence) {
    return new PageJson().object().with("done", isDone).with("sentence", sentence);
  }
}
