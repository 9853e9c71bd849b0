import { frame } from "../frame/frame";

frame();
